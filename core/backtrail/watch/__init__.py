"""watchdog in, "look at this folder now" out. A hint is never a fact: the scan reads the disk."""
