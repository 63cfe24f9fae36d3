"""A code that reaches a person without a sentence leaves them alone with it: walk all of them."""

import ast
import datetime
import importlib
import inspect
import json
import pathlib
import pkgutil
import typing
from collections.abc import Iterator

import backtrail
import pytest
from backtrail.cli.refusal import refusal_json
from backtrail.model import errors
from backtrail.model.checkpoint import Cause, Context, Origin
from backtrail.model.coverage import LeftOut, Reason
from backtrail.model.errors import BacktrailError, capture, host, repository
from backtrail.model.errors.restore import Blocked, RestoreUnfinished
from backtrail.model.ids import RelPath
from backtrail.model.net_state import Operation
from backtrail.model.notices import Notice, NoticeCode
from backtrail.model.progress import LookStep
from backtrail.model.restore import Blocker, Caution, Step
from backtrail.wire.errors import CommandFailed, Damage
from backtrail.wording.blockers import BLOCKER_CODES, blocker_sentence
from backtrail.wording.cautions import CAUTION_CODES, caution_text
from backtrail.wording.coverage import left_out_text
from backtrail.wording.errors import code_of, explain
from backtrail.wording.notices import notice_sentence
from backtrail.wording.operations import operation_text
from backtrail.wording.origin import origin_text
from backtrail.wording.protection import REASONS
from backtrail.wording.steps import STEPS
from backtrail.wording.unprotectable import WHY_CODES, unprotectable

SOURCES = pathlib.Path(backtrail.__file__).parent
FACTS: dict[object, object] = {str: "b.txt", bytes: b"/b", int: 3, float: 30.0, int | None: 5,
    datetime.datetime: datetime.datetime(2026, 12, 1, 15, 0, tzinfo=datetime.UTC),
    dict[str, str]: {"/run": "is open to others"}, dict[str, object]: {}, Damage: Damage.NOT_JSON,
}  # fmt: skip


def error_classes() -> list[type[BacktrailError]]:
    for module in pkgutil.iter_modules(errors.__path__, errors.__name__ + "."):
        importlib.import_module(module.name)
    waiting, found = [BacktrailError], []
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        found += below
    return sorted(found, key=lambda kind: kind.__qualname__)


def made(kind: type[BacktrailError]) -> BacktrailError:
    hints = typing.get_type_hints(kind.__init__) if kind is CommandFailed else typing.get_type_hints(kind)
    facts: dict[str, object] = {}
    for name in inspect.signature(kind).parameters:
        hint = hints[name]
        if hint == tuple[Blocker, ...]:
            facts[name] = (Blocker("mount-inside", (b"/m",)),)
        elif hint == tuple[bytes, ...]:
            facts[name] = (b"a", b"b")
        elif hint == tuple[str, ...]:
            facts[name] = ("a", "b")
        else:
            facts[name] = FACTS[hint]
    if kind is repository.CannotBeProtected:
        facts["why"] = "bare"
    return kind(**facts)


def literals(call: str, place: int) -> Iterator[str]:
    """Yield the text at one place of every call by this name in the sources."""
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
                given = node.args[place] if len(node.args) > place else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_says_what_happened_and_what_to_do(kind: type[BacktrailError]) -> None:
    sentence = explain(made(kind))
    assert sentence.message.endswith(".")
    assert sentence.remedy
    assert "{" not in sentence.message + sentence.remedy
    assert kind.code


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_can_be_told_as_json(kind: type[BacktrailError]) -> None:
    error = made(kind)
    assert json.loads(json.dumps(refusal_json(error)))["code"] == code_of(error)


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in error_classes()]
    assert len(set(codes)) == len(codes)


def test_blocked_is_known_by_its_first_blocker() -> None:
    error = Blocked((Blocker("mount-inside", (b"/m",)), Blocker("in-use", (), "vim (3)")))
    assert code_of(error) == "mount-inside"
    assert "/m" in explain(error).message


def test_every_blocker_has_a_sentence() -> None:
    used = {*literals("Blocker", 0), "restore-unfinished", "turn-active", "in-use"}
    assert len(used) >= 12
    assert used <= BLOCKER_CODES
    for code in BLOCKER_CODES:
        for detail in ("lock", "gc") if code == "repository-busy" else ("100 50",):
            sentence = blocker_sentence(Blocker(code, (b"/p",), detail))
            assert sentence.message.endswith(".")
            assert sentence.remedy
            assert "{" not in sentence.message + sentence.remedy


def test_every_caution_has_a_sentence() -> None:
    used = set(literals("Caution", 0))
    assert used
    assert used <= CAUTION_CODES
    for code in CAUTION_CODES:
        assert "{" not in caution_text(Caution(code, (b"p",), 3, Operation.MERGE))


def test_every_reason_for_refusing_a_repository_has_a_sentence() -> None:
    given = {"file-system-root", "home-folder", "temporary-root"}  # chosen from a table when raised
    used = set(literals("CannotBeProtected", 1)) | given
    assert len(used) >= 10
    assert used <= WHY_CODES
    for why in WHY_CODES:
        sentence = unprotectable(b"/a b", why, "x")
        assert sentence.message
        assert sentence.remedy


def test_every_reason_for_not_being_kept_has_a_phrase() -> None:
    modules = (capture, repository, host)
    codes = {
        kind.code
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BacktrailError) and kind is not BacktrailError
    }
    assert codes | {"left-out", "not-looked-at", RestoreUnfinished.code} <= REASONS.keys()


def test_every_reason_operation_notice_step_and_context_has_words() -> None:
    for reason in Reason:
        assert left_out_text(LeftOut(RelPath(b"p"), reason))
    for operation in Operation:
        assert operation_text(operation) != operation or operation is Operation.NONE
    for code in NoticeCode:
        assert "{" not in notice_sentence(Notice(code, "m", "d", 2)).message
    assert set(Step) | set(LookStep) == STEPS
    for origin in Origin:
        for cause in Cause:
            assert "{" not in origin_text(Context(origin, cause, "s", "0123456789"))
