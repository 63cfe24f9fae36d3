"""The Git graph of one folder: its commits in lanes, what points at them, and where states were kept."""
