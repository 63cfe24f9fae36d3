"""The command line: a client of the Host. Tables and sentences for people, one JSON object for programs."""
