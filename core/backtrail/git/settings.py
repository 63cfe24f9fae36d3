"""Git's configuration as text, whatever bytes it is written in.

Old repositories have names in Latin-1 there, and no setting that is asked for needs them to be UTF-8.
"""

import os
from collections.abc import Iterator

import pygit2


def settings(config: pygit2.Config) -> Iterator[tuple[str, str]]:
    """Yield name and value of each setting, lowest priority first; a setting without a value has an empty one.

    Bytes that are not UTF-8 come as `os.fsdecode` shows them. A name that is not UTF-8 is passed over. Raises
    pygit2.GitError.
    """
    entries = iter(config)
    while True:
        try:
            entry = next(entries)
        except StopIteration:
            return
        except UnicodeDecodeError:
            continue
        yield entry.name, os.fsdecode(entry.raw_value or b"")
