"""All that touches a repository: opening it, HEAD and index, objects, the hidden chain.

Owns Git's formats. Never writes index, branch, tag, config or reflog of a live repository; the only things it adds to
one are objects and refs below `refs/botharness/`.

Importing this room drops every `GIT_*` variable of the process: libgit2 and child processes obey them, and a snapshot
would go to another repository (case B44). pygit2 is imported nowhere else, so it never sees them.
"""

import os

for _name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[_name]
