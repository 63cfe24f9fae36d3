"""Backtrail keeps every state of a Git working tree that it saw, and brings lost work back."""

__version__ = "0.1.0"
