"""The names that stand beside a commit: HEAD, branches, remote branches, tags.

Owns how they are put together: a branch and its namesakes at remotes that point at the same commit are one label. Pure.
"""

import enum
from collections.abc import Iterable

import msgspec
from backtrail.model.commits import Ref, RefKind, Refs
from backtrail.model.path_text import path_text

from backtrail_desktop.graph import words


class LabelKind(enum.Enum):
    """What a label stands for, in the order they are shown."""

    HEAD = "head"
    BRANCH = "branch"
    REMOTE = "remote"
    TAG = "tag"


class Label(msgspec.Struct, frozen=True):
    """One label. HEAD is the branch that is checked out, or the word itself where none is."""

    kind: LabelKind
    text: str


def labels_by_commit(refs: Refs) -> dict[bytes, list[Label]]:
    """Return the labels of each commit that has one."""
    at: dict[bytes, list[Ref]] = {}
    for ref in refs.refs:
        at.setdefault(ref.commit, []).append(ref)
    labels = {commit: list(_together(found, refs.branch)) for commit, found in at.items()}
    if refs.head is not None and refs.branch is None:
        labels.setdefault(refs.head, []).insert(0, Label(LabelKind.HEAD, words.HEAD))
    return labels


def _together(refs: list[Ref], checked_out: bytes | None) -> Iterable[Label]:
    remotes = {ref.name: ref.name.partition(b"/") for ref in refs if ref.kind is RefKind.REMOTE}
    branches = [ref.name for ref in refs if ref.kind is RefKind.BRANCH]
    for name in sorted(branches, key=lambda name: name != checked_out):
        theirs = [whole for whole, (_, _, short) in remotes.items() if short == name]
        text = " + ".join([path_text(name), *(path_text(remotes.pop(whole)[0]) for whole in theirs)])
        yield Label(LabelKind.HEAD if name == checked_out else LabelKind.BRANCH, text)
    for whole, (_, _, short) in remotes.items():
        if short != b"HEAD":
            yield Label(LabelKind.REMOTE, path_text(whole))
    for ref in refs:
        if ref.kind is RefKind.TAG:
            yield Label(LabelKind.TAG, path_text(ref.name))
