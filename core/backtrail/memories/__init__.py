"""The lifecycle of memories: adding, finding, detaching, and the small file each is rebuilt from."""
