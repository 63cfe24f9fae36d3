"""A refusal or failure as it is shown: code, sentence, remedy and facts.

Owns the form of the error object of `--json`. The sentences are in `wording`.
"""

import datetime
from collections.abc import Iterator

from backtrail.cli.as_json import blocker_json, time_json
from backtrail.cli.call import Json
from backtrail.cli.printing import Block
from backtrail.model.errors import BacktrailError
from backtrail.model.errors.restore import Blocked
from backtrail.model.restore import Blocker
from backtrail.wire.path_json import path_json
from backtrail.wording.blockers import blocker_sentence
from backtrail.wording.errors import code_of, explain


def refusal_json(error: BacktrailError) -> Json:
    """Return the error object."""
    said = explain(error)
    data: Json = {}
    for name, value in error.facts().items():
        data |= _fact(name, value)
    return {"code": code_of(error), "message": said.message, "remedy": said.remedy, "data": data}


def _fact(name: str, value: object) -> Json:
    if isinstance(value, bytes):
        return dict(path_json(value, name))
    if isinstance(value, tuple):
        return {name: [_item(item) for item in value]}
    return {name: time_json(value) if isinstance(value, datetime.datetime) else value}


def _item(item: object) -> object:
    if isinstance(item, bytes):
        return path_json(item)
    return blocker_json(item) if isinstance(item, Blocker) else item


def refusal_blocks(error: BacktrailError) -> Iterator[Block]:
    """Yield what a person reads: for a blocked restore every blocker."""
    said = [blocker_sentence(one) for one in error.blockers] if isinstance(error, Blocked) else [explain(error)]
    for sentence in said:
        yield f"backtrail: {sentence.message}"
        yield f"  {sentence.remedy}"
