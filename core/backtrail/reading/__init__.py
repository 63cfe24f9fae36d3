"""A process that only reads a repository for a front end: what differs, and how. Takes no lock and writes into none."""
