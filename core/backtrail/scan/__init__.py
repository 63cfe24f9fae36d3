"""Disk and index into a net state."""
