"""One checkpoint: its chain and row; what was lost since the one before; verifying and reading it."""
