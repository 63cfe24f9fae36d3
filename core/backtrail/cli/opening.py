"""The Host of one command: opened for it, and what it had to tell handed to the call.

Owns nothing else. Imported by the commands alone: it brings libgit2 and the database with it.
"""

import contextlib
import pathlib
from collections.abc import Iterator

from backtrail.cli.call import Call
from backtrail.host.data_folder import default_home
from backtrail.host.host import Host
from backtrail.wording.notices import notice_sentence


@contextlib.contextmanager
def opened(call: Call) -> Iterator[Host]:
    """Open the Host of the data folder that the call names. Raises errors of `model.errors.host`, NoSpace."""
    with Host.open(pathlib.Path(call.home) if call.home else default_home()) as host:
        try:
            yield host
        finally:
            for notice in host.notices:
                said = notice_sentence(notice)
                told: dict[str, object] = {"code": notice.code, "message": said.message, "remedy": said.remedy}
                if notice.memory:
                    told["memory"] = notice.memory
                call.notices.append((f"Note: {said.message} {said.remedy}", told))
