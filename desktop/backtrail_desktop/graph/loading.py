"""Getting the rows of a graph, and keeping them true while refs move.

Owns the order of things. At first what points at commits is asked for, and at the same time the newest commits by date,
which are shown if the rest is long in coming; then every commit comes, children first. Later only what is new on top
comes, and what nothing leads to any more goes. Where git fails the reader's stand-in is asked, and where that fails too
it is told. Shows nothing itself.
"""

from functools import partial

from backtrail.model.commits import NewestCommits, ReadNewest, ReadRefs, Refs
from PySide6.QtCore import QObject, QTimer, Signal

from backtrail_desktop.client.port import Failure, Port
from backtrail_desktop.graph.commit_rows import NOW, CommitRows, Splice
from backtrail_desktop.graph.row_process import Printer, RowProcess, best_printer

_NEWEST = 300
_ROWS_AT_ONCE = 1500
_GONE_MS = 2000


class Loading(QObject):
    """Loads the rows of one repository at a time.

    refs_changed: what points at commits is known, or has changed. replaced(CommitRows): show these rows instead.
    grew: the rows shown have become more. finished: all rows are there. failed(str): they cannot be had, and why.
    """

    refs_changed = Signal()
    replaced = Signal(object)
    grew = Signal()
    finished = Signal()
    failed = Signal(str)

    def __init__(self, reader: Port, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = reader
        self._root: bytes | None = None
        self._only: bytes | None = None
        self._number = 0
        self._processes: list[RowProcess] = []
        self._early: RowProcess | None = None
        self._printer = best_printer()
        self._splice: Splice | None = None
        self._rows: CommitRows | None = None
        self._tips: frozenset[bytes] = frozenset()
        self._shown_refs: Refs | None = None
        self._again = False
        self.refs: Refs | None = None
        self.loading = False
        self._work = QTimer(self)
        self._work.setInterval(0)
        self._work.timeout.connect(self._splice_further)

    def show(self, root: bytes | None, only: bytes | None = None) -> None:
        """Load the rows of a repository; only: those alone that this ref (`main`, `origin/main`) leads to."""
        if root != self._root:
            self.refs = None
        self._stop()
        self._root, self._only = root, only
        self._rows, self._shown_refs = None, None
        if root is not None:
            self._printer = best_printer()
            self.refresh()

    def refresh(self) -> None:
        """See whether refs have moved, and bring the rows up to date."""
        if self._root is None:
            return
        if self.loading:
            self._again = True
            return
        self.loading, self._again = True, False
        number = self._number
        if self._rows is None:
            self._early = self._start(self._root)
            self._early.ended.connect(self._early_ended)
            self._load_newest(self._root, number)
        self._reader.ask(
            ReadRefs(root=self._root), partial(self._refs_told, number), partial(self._refs_failed, number)
        )

    def close(self) -> None:
        """End every process; for the end of the window."""
        for process in self._stop():
            process.wait_until_gone(_GONE_MS)

    # what points at commits

    def _refs_told(self, number: int, refs: Refs) -> None:
        if number != self._number:
            return
        before, self.refs = self._shown_refs, refs
        if refs == before:
            self._done()
            return
        if before is None or before.refs != refs.refs or before.head != refs.head or before.branch != refs.branch:
            self.refs_changed.emit()
        if self._root is not None:
            self._load(self._root, refs, before)

    def _refs_failed(self, number: int, failure: Failure) -> None:
        if number == self._number:
            self._give_up(f"{failure.message} {failure.remedy}".strip())

    def _load(self, root: bytes, refs: Refs, before: Refs | None) -> None:
        self._shown_refs = refs
        tips = self._tips_of(refs)
        old, self._tips = self._tips, tips
        if before is None or self._rows is None:
            self._load_all(root)
        elif tips == old and before.head == refs.head:
            self._done()
        else:
            self._load_difference(root, tips, old)

    def _tips_of(self, refs: Refs) -> frozenset[bytes]:
        if self._only is not None:
            return frozenset(ref.commit for ref in refs.refs if ref.name == self._only)
        head = () if refs.head is None else (refs.head,)
        return frozenset([*head, *(ref.commit for ref in refs.refs)])

    def _top(self) -> tuple[bytes, list[bytes]] | None:
        """Return the row of the working state, None where what is checked out is not among what is shown."""
        refs = self._shown_refs
        if refs is None or (self._only is not None and self._only != refs.branch):
            return None
        return NOW, [] if refs.head is None else [refs.head]

    # everything

    def _load_all(self, root: bytes) -> None:
        rows = self._begun()
        if not self._tips:
            self._rows = rows
            self.replaced.emit(rows)
            self._done()
            return
        every = self._start(root) if self._early is None else self._early
        self._early = None
        every.printed.connect(partial(self._add, rows))
        every.ended.connect(partial(self._all_came, root))
        every.ask(sorted(self._tips))

    def _early_ended(self) -> None:
        """Take note that it failed before it was asked: then another one is tried, and tells why."""
        self._early = None

    def _begun(self) -> CommitRows:
        rows = CommitRows()
        top = self._top()
        if top is not None:
            rows.add(*top)
        return rows

    def _load_newest(self, root: bytes, number: int) -> None:
        """Have something to show in a moment: of everything at once, of one branch once it is known where it stands."""
        if self._only is None:
            told, failed = partial(self._newest_came, number), partial(self._newest_failed, number)
            self._reader.ask(ReadNewest(root=root, count=_NEWEST), told, failed)

    def _newest_failed(self, number: int, failure: Failure) -> None:
        del number, failure  # all rows come all the same, or it is told why not

    def _newest_came(self, number: int, newest: NewestCommits) -> None:
        if number == self._number and newest.lines and self._rows is None:
            rows = self._begun()
            rows.add_lines(newest.lines)
            self.replaced.emit(rows)

    def _add(self, rows: CommitRows, lines: list[str]) -> None:
        rows.add_lines(lines)
        if self._rows is not rows:
            self._rows = rows
            self.replaced.emit(rows)
        else:
            self.grew.emit()

    def _all_came(self, root: bytes, whole: bool) -> None:  # noqa: FBT001 - as the signal tells it
        if whole:
            self._done()
        elif self._printer is Printer.GIT:
            self._stop_processes()
            self._printer, self._rows = Printer.READER, None
            self._load_all(root)
        else:
            self._give_up("The commits of this folder could not be read.")

    # what is different

    def _load_difference(self, root: bytes, tips: frozenset[bytes], old: frozenset[bytes]) -> None:
        new: list[str] = []
        gone: list[str] = []
        ends: list[bool] = []

        def ended(whole: bool) -> None:  # noqa: FBT001 - as the signal tells it
            ends.append(whole)
            if len(ends) == 2:  # noqa: PLR2004 - both
                self._difference_came(root, new, gone, whole=all(ends))

        for those, others, found in ((tips, old, new), (old, tips, gone)):
            process = self._start(root)
            process.printed.connect(found.extend)
            process.ended.connect(ended)
            process.ask(sorted(those), sorted(others))

    def _difference_came(self, root: bytes, new: list[str], gone: list[str], *, whole: bool) -> None:
        if not whole or self._rows is None:  # an old tip is no more: its commits cannot be named
            self._rows = None
            self._stop_processes()
            self._load_all(root)
            return
        fresh = CommitRows()
        top = self._top()
        if top is not None:
            fresh.add(*top)
        fresh.add_lines(new)
        above = [(fresh.oid(row), fresh.parents(row)) for row in range(len(fresh))]
        was = [self._rows.oid(0)] if len(self._rows) and self._rows.oid(0) == NOW else []
        self._splice = Splice(self._rows, above, [*was, *(bytes.fromhex(line[:40]) for line in gone)])
        self._work.start()

    def _splice_further(self) -> None:
        if self._splice is not None and self._splice.work(_ROWS_AT_ONCE):
            self._rows, self._splice = self._splice.rows, None
            self._work.stop()
            self.replaced.emit(self._rows)
            self._done()

    # the end

    def _start(self, root: bytes) -> RowProcess:
        process = RowProcess(root, self._printer, self)
        self._processes.append(process)
        return process

    def _done(self) -> None:
        self._stop_processes()
        self.loading = False
        self.finished.emit()
        if self._again:
            self.refresh()

    def _give_up(self, reason: str) -> None:
        self._stop()
        self._shown_refs, self._rows = None, None
        self.failed.emit(reason)

    def _stop(self) -> list[RowProcess]:
        self.loading, self._again = False, False
        self._number += 1  # an answer that is under way is of no use any more
        self._splice = None
        self._work.stop()
        return self._stop_processes()

    def _stop_processes(self) -> list[RowProcess]:
        processes, self._processes, self._early = self._processes, [], None
        for process in processes:
            process.stop()
        return processes
