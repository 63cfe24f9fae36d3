"""The one process that does things: the data folder's lock, the order of steps, start-up settling."""
