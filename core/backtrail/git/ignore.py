"""Which untracked entries Git ignores: the rules in force in one folder of a walk.

Owns the order of strength: the last matching line of a file wins, the nearer file wins.
Never reads the disk: the walk passes the bytes of each ignore file. Never enters into whether a parent is ignored: the
walk does not enter an ignored folder, as Git does not. A symlink to a folder is no folder here.
Does not handle files that Git reads from the index instead of the disk (a `.gitignore` outside a sparse checkout): the
walk passes their bytes too. Why not a library: docs/decisions/0002-own-ignore-matcher.md. Field case B47.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Self

import msgspec

from backtrail.git.ignore_pattern import Comparison, Rule, rules_of

_NOTHING = -1


class _Lookup(msgspec.Struct, frozen=True):
    """The rules of one ignore file that compare the same thing, name or path.

    A verdict is the rule's line number, doubled, plus one if it ignores: the greatest verdict wins.
    """

    exact: dict[bytes, int]
    suffixes: tuple[bytes, ...]
    suffix_verdicts: dict[bytes, int]
    regex: re.Pattern[bytes] | None
    regex_verdicts: tuple[int, ...]

    def verdict(self, text: bytes) -> int:
        best = self.exact.get(text, _NOTHING)
        if self.suffixes and text.endswith(self.suffixes):
            best = max(best, *(v for suffix, v in self.suffix_verdicts.items() if text.endswith(suffix)))
        if self.regex is not None and (found := self.regex.match(text)):
            best = max(best, self.regex_verdicts[(found.lastindex or 0) - 1])
        return best


def _lookup(rules: Iterable[tuple[int, Rule]]) -> _Lookup | None:
    texts: dict[Comparison, dict[bytes, int]] = {comparison: {} for comparison in Comparison}
    for number, rule in rules:
        texts[rule.comparison][rule.text] = number * 2 + (not rule.negated)
    if not any(texts.values()):
        return None
    # The strongest first, each with an empty group behind it that tells which one matched.
    by_strength = sorted(texts[Comparison.REGEX].items(), key=lambda item: -item[1])
    return _Lookup(
        exact=texts[Comparison.EXACT],
        suffixes=tuple(texts[Comparison.SUFFIX]),
        suffix_verdicts=texts[Comparison.SUFFIX],
        regex=re.compile(b"|".join(text + b"()" for text, _ in by_strength), re.DOTALL) if by_strength else None,
        regex_verdicts=tuple(verdict for _, verdict in by_strength),
    )


class _Table(msgspec.Struct, frozen=True):
    """The rules of one ignore file for one sort of entry, folders or all others."""

    names: _Lookup | None
    paths: _Lookup | None


class _Layer(msgspec.Struct, frozen=True):
    """One ignore file, or several of one folder that follow each other in strength."""

    files: _Table
    folders: _Table


def _layer(contents: Iterable[bytes], *, ignore_case: bool) -> _Layer:
    rules = [rule for content in contents for rule in rules_of(content, ignore_case=ignore_case)]

    def table(*, for_folders: bool) -> _Table:
        taking_part = [(n, rule) for n, rule in enumerate(rules) if for_folders or not rule.folders_only]
        return _Table(
            names=_lookup((n, rule) for n, rule in taking_part if rule.by_name),
            paths=_lookup((n, rule) for n, rule in taking_part if not rule.by_name),
        )

    return _Layer(files=table(for_folders=False), folders=table(for_folders=True))


class FolderRules(msgspec.Struct, frozen=True):
    """The ignore rules in force in one folder; made for the root, then for each sub-folder from its parent's.

    The compiled files are shared between all folders of a walk, and files of equal content are compiled once: that
    cache lives and dies with the walk and is keyed by content, so nothing makes it stale.
    """

    _path: bytes  # from the root, empty or ending in a slash
    _files: tuple[tuple[_Table, int], ...]  # nearest first, each with the length of its folder's path
    _folders: tuple[tuple[_Table, int], ...]
    _compiled: dict[bytes, _Layer]
    _ignore_case: bool

    @classmethod
    def root(cls, sources: Sequence[bytes], ignore_file: bytes | None, *, ignore_case: bool = False) -> Self:
        """Return the rules of the root folder.

        sources: contents of the files that are weaker than any `.gitignore`, weakest first (`core.excludesFile`, then
        `info/exclude`). ignore_file: content of the root's `.gitignore`. ignore_case: as `core.ignoreCase`, for ASCII.
        """
        contents = (*sources, ignore_file or b"")
        bare = cls(b"", (), (), {}, ignore_case)
        return bare._with(_layer(contents, ignore_case=ignore_case), b"")

    def child(self, name: bytes, ignore_file: bytes | None) -> Self:
        """Return the rules of the sub-folder `name`, whose own `.gitignore` holds `ignore_file`."""
        path = b"%s%s/" % (self._path, name.lower() if self._ignore_case else name)
        if not ignore_file:
            return type(self)(path, self._files, self._folders, self._compiled, self._ignore_case)
        layer = self._compiled.get(ignore_file)
        if layer is None:
            layer = self._compiled[ignore_file] = _layer((ignore_file,), ignore_case=self._ignore_case)
        return self._with(layer, path)

    def ignores(self, name: bytes, *, is_folder: bool) -> bool:
        """Tell whether Git ignores the entry `name` of this folder, the folder itself not being ignored."""
        if self._ignore_case:
            name = name.lower()
        for table, start in self._folders if is_folder else self._files:
            verdict = table.names.verdict(name) if table.names is not None else _NOTHING
            if table.paths is not None:
                verdict = max(verdict, table.paths.verdict(self._path[start:] + name))
            if verdict != _NOTHING:
                return bool(verdict & 1)
        return False

    def _with(self, layer: _Layer, path: bytes) -> Self:
        def stacked(table: _Table, below: tuple[tuple[_Table, int], ...]) -> tuple[tuple[_Table, int], ...]:
            return below if table.names is table.paths is None else ((table, len(path)), *below)

        return type(self)(
            path,
            stacked(layer.files, self._files),
            stacked(layer.folders, self._folders),
            self._compiled,
            self._ignore_case,
        )
