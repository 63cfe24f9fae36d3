"""Data of Backtrail: the demo's story. No code."""
