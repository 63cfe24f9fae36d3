"""The Host and the reader as Qt signals."""
