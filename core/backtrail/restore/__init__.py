"""Bringing a state back: plan, copy, verify, archive, one atomic switch, undo; and chosen files in place."""
