"""One state: its files, differences, what is not kept, where it came from."""
