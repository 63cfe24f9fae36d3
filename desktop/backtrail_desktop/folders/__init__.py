"""The list of folders, each with its state."""
