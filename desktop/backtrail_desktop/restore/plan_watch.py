"""Whether a plan that is shown is still one of the folder as it is.

Owns that one question: when the Host tells that a state was kept, the newest one is compared with the one that the plan
was made of. What makes no state, such as an ignored file, is for the plan's token, which is compared before anything is
done.
"""

import functools

from backtrail.model.commands import CheckpointPage, ListCheckpoints
from backtrail.model.events import CheckpointRecorded, HostEvent, RestoreFinished
from backtrail.model.memory import Memory
from PySide6.QtCore import QObject, Signal

from backtrail_desktop.client.port import Failure, HostPort
from backtrail_desktop.restore.flow import Proposal


class PlanWatch(QObject):
    """moved: the folder is no longer as it was when the plan was made. It is told once for each plan."""

    moved = Signal()

    def __init__(self, memory: Memory, host: HostPort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._memory, self._host = memory, host
        self._proposal: Proposal | None = None
        host.happened.connect(self._happened)

    def begin(self, proposal: Proposal | None) -> None:
        """Watch over this plan from now on; None: over none."""
        self._proposal = proposal

    def _happened(self, event: HostEvent) -> None:
        proposal = self._proposal
        if not isinstance(event, CheckpointRecorded | RestoreFinished) or event.memory != self._memory.id:
            return
        if proposal is not None:
            answered = functools.partial(self._newest_told, proposal)
            self._host.ask(ListCheckpoints(memory=self._memory.id, limit=1), answered, self._nothing_told)

    def _newest_told(self, proposal: Proposal, page: CheckpointPage) -> None:
        newest = next(iter(page.checkpoints), None)
        if proposal is self._proposal and newest is not None and newest.id != proposal.plan.before:
            self._proposal = None
            self.moved.emit()

    def _nothing_told(self, failure: Failure) -> None:
        """Leave it: whoever cannot be asked cannot restore either."""
        del failure
