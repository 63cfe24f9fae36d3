"""A new repository with its first commit. The only commit that is ever made for a person, and only in a new folder."""

import os
from collections.abc import Mapping

import pygit2

_NAME, _ADDRESS = "Backtrail", "host@backtrail.invalid"


def create_repository(path: bytes, files: Mapping[str, bytes], message: str) -> None:
    """Initialise a repository in a folder, write `files` at its top, and commit them. Raises OSError."""
    repository = pygit2.init_repository(os.fsdecode(path), initial_head="main")
    try:
        index = repository.index
        for name, content in files.items():
            with open(os.path.join(path, os.fsencode(name)), "wb") as file:
                file.write(content)
            index.add(name)
        who = pygit2.Signature(_NAME, _ADDRESS)
        repository.create_commit("HEAD", who, who, message, index.write_tree(), [])
        index.write()
    finally:
        repository.free()
