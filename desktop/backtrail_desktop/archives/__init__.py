"""The folders that restores switched out."""
