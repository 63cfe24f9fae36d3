"""What `doctor` found, in words: one sentence for each check, whether it holds or not."""

from collections.abc import Callable

from backtrail.model.checks import Check, CheckName
from backtrail.model.memory import ProtectionState
from backtrail.wording.errors import explain
from backtrail.wording.protection import protection_text
from backtrail.wording.sentence import Sentence, counted, named


def check_sentence(check: Check) -> Sentence:
    """Return what was found and, where something is to be done, what."""
    if check.error is not None:
        return explain(check.error)
    return _SENTENCES[check.name](check)


def _data_folder(check: Check) -> Sentence:
    if check.ok:
        return Sentence(f"The data folder {check.detail} can be used, and by this user alone.")
    return Sentence(
        f"Other users may read what lies in the data folder: {named(check.items)}.",
        f"`chmod -R go= {check.detail}` closes it to them.",
    )


def _database(check: Check) -> Sentence:
    return Sentence(f"The database {check.detail} is sound.")


def _settled(check: Check) -> Sentence:
    del check
    return Sentence("No restore is left unfinished.")


def _reachable(check: Check) -> Sentence:
    del check
    return Sentence("The folder and its repository can be read.")


def _protected(check: Check) -> Sentence:
    if check.protection is None:
        return Sentence(f"It is {check.detail}, and so not looked at.")
    text = f"The work in it is {protection_text(check.protection)}."
    if check.protection.state is ProtectionState.DEGRADED:
        return Sentence(f"{text} Not held: {named(check.items)}.")
    return Sentence(text)


def _changes_nothing(check: Check) -> Sentence:
    if check.ok:
        return Sentence("A look left index, refs, HEAD and every file as they were.")
    return Sentence(
        f"While it was looked at, this changed: {named(check.items)}. It need not have been Backtrail.",
        "Let the programs that work there come to rest and run `backtrail doctor` again. If it stays so, report it.",
    )


def _disk_is_held(check: Check) -> Sentence:
    if check.ok:
        files = counted(check.count, "file")
        return Sentence(f"Checkpoint {check.detail} holds the folder as it is: {files} read from the disk and from it.")
    return Sentence(
        f"Checkpoint {check.detail}, which should hold the folder as it is, is damaged: {named(check.items)}.",
        f"`backtrail checkpoint verify {check.detail}` writes it down; the next `backtrail scan` then keeps the folder"
        " anew.",
    )


def _rows_match(check: Check) -> Sentence:
    mended = f" {check.mended} put right just now." if check.mended else ""
    if check.ok:
        return Sentence(f"Database and refs tell of the same checkpoints.{mended}")
    return Sentence(
        f"{counted(check.count, 'checkpoint')} had lost ref or objects, and cannot be restored any more.{mended}",
        "Somebody removed them in Git (update-ref, gc, a new clone). `backtrail doctor --repair` takes back those whose"
        " objects are all there again.",
    )


def _whole(check: Check) -> Sentence:
    mended = f" {check.mended} taken back just now." if check.mended else ""
    if check.ok:
        return Sentence(f"Of {counted(check.count, 'checkpoint')} none is known to be damaged.{mended}")
    return Sentence(
        f"Damaged, and not to be restored: {named(check.items)}.{mended}",
        "If their objects come back (from a backup or another clone), `backtrail doctor --repair` takes them back. "
        "Single files may still be readable (`backtrail checkpoint cat ID PATH`). `git gc` fails while their refs are "
        "there; `backtrail checkpoint prune --damaged --yes` lets these checkpoints go. "
        "`backtrail checkpoint verify --all` reads every object of the others.",
    )


def _archives(check: Check) -> Sentence:
    if not check.count:
        return Sentence("There is no archive yet.")
    return Sentence(f"{counted(check.count, 'archive')}, each with a readable manifest.")


def _mirror(check: Check) -> Sentence:
    if check.ok:
        return Sentence("No remote is set up as a mirror: an ordinary push does not publish checkpoints.")
    return Sentence(
        f"A push to {named(check.items)} would publish your checkpoints, uncommitted work included.",
        "Narrow it: `git config --unset remote.NAME.mirror`, or a refspec such as +refs/heads/*:refs/heads/*. "
        "`backtrail doctor --leaks` asks whether it has some already.",
    )


def _on_remotes(check: Check) -> Sentence:
    remote = named(check.items)
    if check.ok:
        return Sentence(f"The remote {remote} has none of your checkpoints.")
    if check.detail:
        return Sentence(
            f"The remote {remote} could not be asked: {check.detail}.",
            f"See that `git ls-remote {remote}` answers without a question, and run it again.",
        )
    return Sentence(
        f"The remote {remote} has {counted(check.count, 'ref')} of yours, with uncommitted work in them.",
        f"`git ls-remote {remote} 'refs/botharness/*'` lists them; `git push {remote} --delete REF` removes one.",
    )


_SENTENCES: dict[CheckName, Callable[[Check], Sentence]] = {
    CheckName.DATA_FOLDER: _data_folder,
    CheckName.DATABASE: _database,
    CheckName.RESTORES_SETTLED: _settled,
    CheckName.REACHABLE: _reachable,
    CheckName.PROTECTED: _protected,
    CheckName.LOOK_CHANGES_NOTHING: _changes_nothing,
    CheckName.DISK_IS_HELD: _disk_is_held,
    CheckName.ROWS_MATCH_REFS: _rows_match,
    CheckName.CHECKPOINTS_WHOLE: _whole,
    CheckName.ARCHIVES_READABLE: _archives,
    CheckName.NO_MIRROR_REMOTE: _mirror,
    CheckName.NOT_ON_REMOTES: _on_remotes,
}
CHECKS = frozenset(_SENTENCES)
