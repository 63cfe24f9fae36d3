"""The states of one folder: what happened, and what was lost."""
