"""The database: an index and an audit of what Git refs hold (decision 0003). No peewee type leaves this room."""
