"""Which uncommitted work is named as lost, and which changes are none (that would cry wolf)."""

import os
from pathlib import Path

import pytest
from backtrail.checkpoints.similar import goes_on
from backtrail.model.checkpoint import Cause, Context, Origin
from backtrail.model.ids import oid_from_hex
from core.git_oracle import blob_id, commit_all, git
from core.keeping import Keeping

WORK = b"base\n" + b"".join(b"a line that I wrote, number %d\n" % number for number in range(20))
OTHER = b"".join(b"an agent has other ideas: %d\n" % (number * number) for number in range(20))


@pytest.fixture
def worked(keeping: Keeping) -> Keeping:
    """Uncommitted work in the tracked file `f` and the untracked file `new`, kept in a checkpoint."""
    (keeping.root / "f").write_bytes(WORK)
    (keeping.root / "new").write_bytes(b"new\n" + WORK)
    keeping.checkpoint()
    return keeping


def test_reset_hard_names_the_tracked_work(worked: Keeping) -> None:
    before = worked.timeline()[-1]
    git(worked.root, "reset", "-q", "--hard")
    checkpoint = worked.checkpoint()
    assert [(lost.path, lost.oid, lost.staged) for lost in checkpoint.lost] == [
        (b"f", oid_from_hex(blob_id(WORK)), False)
    ]
    assert checkpoint.kept_in == before.id
    assert git(worked.root, "cat-file", "blob", checkpoint.lost[0].oid.hex()) == WORK


def test_checkout_of_one_file_names_it(worked: Keeping) -> None:
    git(worked.root, "checkout", "-q", "--", "f")
    assert worked.lost() == [(b"f", False)]


def test_restore_of_one_file_names_it(worked: Keeping) -> None:
    git(worked.root, "restore", "f")
    assert worked.lost() == [(b"f", False)]


@pytest.mark.parametrize("command", [("checkout", "-q", "--", "f"), ("restore", "f"), ("checkout-index", "-f", "f")])
def test_one_line_above_a_staged_edit_that_a_checkout_took_away(keeping: Keeping, command: tuple[str, ...]) -> None:
    (keeping.root / "f").write_bytes(WORK)
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(WORK + b"one more line, not staged\n")
    keeping.checkpoint()
    git(keeping.root, *command)
    assert keeping.lost() == [(b"f", False)]


def test_clean_names_the_untracked_file(worked: Keeping) -> None:
    git(worked.root, "clean", "-fdq")
    assert worked.lost() == [(b"new", False)]


def test_a_script_that_removes_an_untracked_file(worked: Keeping) -> None:
    (worked.root / "new").unlink()
    assert worked.lost() == [(b"new", False)]


def test_a_script_that_removes_a_changed_tracked_file(worked: Keeping) -> None:
    (worked.root / "f").unlink()
    assert worked.lost() == [(b"f", False)]


def test_a_folder_that_is_removed_names_each_file(keeping: Keeping) -> None:
    for name in (b"caf\xe9", b"a\nb"):
        path = os.path.join(os.fsencode(keeping.root), b"d", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(WORK + name)
    keeping.checkpoint()
    git(keeping.root, "clean", "-fdq")
    assert keeping.lost() == [(b"d/a\nb", False), (b"d/caf\xe9", False)]


def test_truncation_names_the_file(worked: Keeping) -> None:
    os.truncate(worked.root / "f", 0)
    os.truncate(worked.root / "new", 0)
    assert worked.lost() == [(b"f", False), (b"new", False)]


def test_a_rewrite_by_an_agent_names_the_work_it_replaced(worked: Keeping) -> None:
    (worked.root / "f").write_bytes(OTHER)
    (worked.root / "new").write_bytes(OTHER)
    assert worked.lost() == [(b"f", False), (b"new", False)]


def test_a_file_that_becomes_a_link_or_a_folder_names_the_work(worked: Keeping) -> None:
    (worked.root / "f").unlink()
    (worked.root / "f").symlink_to("elsewhere")
    (worked.root / "new").unlink()
    (worked.root / "new").mkdir()
    (worked.root / "new" / "x").write_bytes(b"x")
    assert worked.lost() == [(b"f", False), (b"new", False)]


def test_a_folder_replaced_by_a_link_to_one_with_the_same_names(keeping: Keeping, tmp_path: Path) -> None:
    """B25: what the link leads to is not the work that was here."""
    (keeping.root / "d").mkdir()
    (keeping.root / "d" / "x").write_bytes(WORK)
    keeping.checkpoint()
    (keeping.root / "d").rename(tmp_path / "gone")
    (tmp_path / "gone" / "x").write_bytes(b"victim")
    (keeping.root / "d").symlink_to(tmp_path / "gone")
    assert keeping.lost() == [(b"d/x", False)]


def test_content_that_was_only_staged(keeping: Keeping) -> None:
    (keeping.root / "f").write_bytes(WORK)
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(b"base\n")
    keeping.checkpoint()
    git(keeping.root, "reset", "-q")
    assert keeping.lost() == [(b"f", True)]


def test_staged_and_working_content_both_lost(keeping: Keeping) -> None:
    (keeping.root / "f").write_bytes(WORK)
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(OTHER)
    keeping.checkpoint()
    git(keeping.root, "reset", "-q", "--hard")
    assert sorted(keeping.lost()) == [(b"f", False), (b"f", True)]


def test_a_staged_new_file_lost_by_reset_hard(keeping: Keeping) -> None:
    (keeping.root / "new").write_bytes(WORK)
    git(keeping.root, "add", "new")
    keeping.checkpoint()
    git(keeping.root, "reset", "-q", "--hard")
    assert keeping.lost() == [(b"new", False)]


def test_forced_checkout_of_another_branch(worked: Keeping) -> None:
    git(worked.root, "branch", "side")
    git(worked.root, "checkout", "-q", "-f", "side")
    assert worked.lost() == [(b"f", False)]


def test_a_stash_that_was_dropped_before_anyone_looked_is_not_called_lost(worked: Keeping) -> None:
    """The reflog of the stash is gone with it; what remains is that the work left."""
    git(worked.root, "stash", "-q")
    git(worked.root, "stash", "drop", "-q")
    assert worked.lost() == [(b"f", False)]


def test_uncommitted_work_on_an_unborn_branch(tmp_path: Path) -> None:
    """B42: without any commit everything is uncommitted."""
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q", "-b", "trunk")
    (fresh / "a").write_bytes(WORK)
    keeping = Keeping(tmp_path / "home", fresh)
    keeping.checkpoint()
    (fresh / "a").unlink()
    assert keeping.lost() == [(b"a", False)]


def test_a_deletion_of_a_committed_file_is_no_loss(keeping: Keeping) -> None:
    keeping.checkpoint()
    (keeping.root / "f").unlink()
    assert keeping.lost() == []


def test_a_commit_is_no_loss(worked: Keeping) -> None:
    commit_all(worked.root)
    assert worked.lost() == []


def test_a_commit_and_further_edits_before_the_next_look_is_no_loss(worked: Keeping) -> None:
    commit_all(worked.root)
    (worked.root / "f").write_bytes(OTHER)
    (worked.root / "new").unlink()
    assert worked.lost() == []


def test_an_amend_is_no_loss(worked: Keeping) -> None:
    commit_all(worked.root)
    worked.checkpoint()
    (worked.root / "f").write_bytes(WORK + b"one more\n")
    worked.checkpoint()
    git(worked.root, "commit", "-q", "--amend", "-a", "-m", "amended")
    assert worked.lost() == []


def test_a_commit_that_a_reset_threw_away_is_no_loss(worked: Keeping) -> None:
    """The reflog still names the commit: Git itself can bring it back."""
    commit_all(worked.root)
    git(worked.root, "reset", "-q", "--hard", "HEAD~1")
    assert worked.lost() == []


@pytest.mark.parametrize(
    "after",
    [
        WORK + b"and one more\n",
        WORK[:-30],
        WORK.replace(b"number 7", b"number seven"),
        b"".join(WORK.splitlines(keepends=True)[::-1]),
        WORK.replace(b"number", b"no."),
    ],
)
def test_an_edit_after_an_edit_is_no_loss(worked: Keeping, after: bytes) -> None:
    (worked.root / "f").write_bytes(after)
    (worked.root / "new").write_bytes(after)
    assert worked.lost() == []


def test_typing_a_word_letter_by_letter_is_no_loss(keeping: Keeping) -> None:
    for typed in (b"base\nrem", b"base\nremem", b"base\nremember", b"base\nremember the milk\n"):
        (keeping.root / "f").write_bytes(typed)
        assert keeping.lost() == []


def test_moves_are_no_loss(worked: Keeping) -> None:
    git(worked.root, "mv", "f", "g")
    (worked.root / "d").mkdir()
    (worked.root / "new").rename(worked.root / "d" / "moved")
    assert worked.lost() == []


def test_a_stash_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "stash", "-q")
    assert worked.lost() == []


def test_a_stash_with_untracked_files_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "stash", "-q", "-u")
    assert worked.lost() == []


def test_a_stash_that_was_taken_back_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "stash", "-q", "-u")
    worked.checkpoint()
    git(worked.root, "stash", "pop", "-q")
    assert worked.lost() == []


def test_staged_and_working_content_in_a_stash_is_no_loss(keeping: Keeping) -> None:
    (keeping.root / "f").write_bytes(WORK)
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(OTHER)
    keeping.checkpoint()
    git(keeping.root, "stash", "-q")
    assert keeping.lost() == []


def test_becoming_ignored_is_no_loss(worked: Keeping) -> None:
    (worked.root / ".gitignore").write_bytes(b"new\n")
    assert worked.lost() == []


def test_becoming_ignored_with_its_folder_is_no_loss(keeping: Keeping) -> None:
    (keeping.root / "build").mkdir()
    (keeping.root / "build" / "out").write_bytes(WORK)
    keeping.checkpoint()
    (keeping.root / ".gitignore").write_bytes(b"build/\n")
    assert keeping.lost() == []


def test_growing_above_the_size_cap_is_no_loss(worked: Keeping) -> None:
    worked.set_cap(2048)
    (worked.root / "new").write_bytes(WORK * 10)
    assert worked.lost() == []


def test_chmod_is_no_loss(worked: Keeping) -> None:
    (worked.root / "f").chmod(0o755)
    (worked.root / "new").chmod(0o600)
    assert worked.lost() == []


def test_an_update_of_a_file_whose_mode_alone_was_changed_is_no_loss(keeping: Keeping) -> None:
    root = keeping.root
    git(root, "checkout", "-q", "-b", "side")
    (root / "f").write_bytes(OTHER)
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "f").chmod(0o755)
    keeping.checkpoint()
    git(root, "checkout", "-q", "-f", "side")
    assert keeping.lost() == []


def test_a_folder_that_becomes_a_nested_repository_is_no_loss(keeping: Keeping) -> None:
    (keeping.root / "d").mkdir()
    (keeping.root / "d" / "x").write_bytes(WORK)
    keeping.checkpoint()
    git(keeping.root / "d", "init", "-q")
    assert keeping.lost() == []


def test_switching_branches_with_kept_changes_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "checkout", "-q", "-b", "side")
    assert worked.lost() == []


def test_switching_to_a_branch_with_other_files_is_no_loss(keeping: Keeping) -> None:
    root = keeping.root
    git(root, "checkout", "-q", "-b", "side")
    (root / "s").write_bytes(OTHER)
    (root / "f").write_bytes(OTHER)
    commit_all(root)
    keeping.checkpoint()
    git(root, "checkout", "-q", "main")
    assert keeping.lost() == []
    git(root, "checkout", "-q", "side")
    assert keeping.lost() == []


def test_a_commit_on_another_branch_and_a_switch_back_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "checkout", "-q", "-b", "side")
    commit_all(worked.root)
    git(worked.root, "checkout", "-q", "main")
    assert worked.lost() == []


def test_a_merge_and_a_rebase_are_no_loss(worked: Keeping) -> None:
    root = worked.root
    git(root, "checkout", "-q", "-b", "side")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "m").write_bytes(b"m\n")
    commit_all(root)
    worked.checkpoint()
    git(root, "merge", "-q", "--no-edit", "side")
    assert worked.lost() == []
    git(root, "reset", "-q", "--hard", "HEAD~1")
    git(root, "rebase", "-q", "side")
    assert worked.lost() == []


def test_staging_and_unstaging_what_is_on_the_disk_is_no_loss(worked: Keeping) -> None:
    git(worked.root, "add", "-A")
    assert worked.lost() == []
    git(worked.root, "reset", "-q")
    assert worked.lost() == []


def test_staging_a_later_version_is_no_loss(keeping: Keeping) -> None:
    (keeping.root / "f").write_bytes(WORK)
    git(keeping.root, "add", "f")
    (keeping.root / "f").write_bytes(WORK + b"more\n")
    keeping.checkpoint()
    git(keeping.root, "add", "f")
    assert keeping.lost() == []


def test_git_writing_its_own_line_ends_is_no_loss(keeping: Keeping) -> None:
    """A clean file with CRLF on disk differs from the blob, yet holds nothing that is not committed."""
    root = keeping.root
    git(root, "config", "core.autocrlf", "true")
    (root / "text").write_bytes(b"one\r\ntwo\r\n")
    commit_all(root)
    keeping.checkpoint()
    git(root, "config", "core.autocrlf", "false")
    (root / "text").unlink()
    git(root, "checkout", "-q", "--", "text")
    assert (root / "text").read_bytes() == b"one\ntwo\n"
    assert keeping.lost() == []


def test_committing_a_file_with_other_line_ends_is_no_loss(keeping: Keeping) -> None:
    root = keeping.root
    git(root, "config", "core.autocrlf", "true")
    (root / "text").write_bytes(b"one\r\ntwo\r\n")
    keeping.checkpoint()
    commit_all(root)
    (root / "text").unlink()
    assert keeping.lost() == []


def test_what_a_person_asked_for_is_no_loss(worked: Keeping) -> None:
    """A restore makes a state leave on purpose; it is in the archive, and the person said so."""
    git(worked.root, "reset", "-q", "--hard")
    git(worked.root, "clean", "-fdq")
    asked = Context(Origin.HUMAN_COMMAND, Cause.HUMAN_RESTORE, "local-human")
    observed = worked.scan(context=asked)
    assert observed.checkpoint is not None
    assert observed.checkpoint.lost == ()
    assert observed.checkpoint.kept_in is None


def test_a_loss_is_named_once(worked: Keeping) -> None:
    git(worked.root, "reset", "-q", "--hard")
    assert worked.lost() == [(b"f", False)]
    (worked.root / "other").write_bytes(b"x")
    assert worked.lost() == []


def test_losses_come_back_from_the_ref(worked: Keeping) -> None:
    git(worked.root, "reset", "-q", "--hard")
    checkpoint = worked.checkpoint()
    stored = worked.chain(checkpoint).checkpoint
    assert (stored.lost, stored.kept_in) == (checkpoint.lost, checkpoint.kept_in)


@pytest.mark.parametrize(
    ("base", "old", "new", "expected"),
    [
        (b"a\n", b"a\nb\n", b"a\n", False),
        (b"a\n", b"a\nb\n", b"a\nb\nc\n", True),
        (b"a\nb\n", b"a\n", b"a\nc\n", True),
        (b"", b"one\ntwo\n", b"", False),
        (b"", b"\0" * 100, b"\0" * 49, False),
        (b"", b"\0" * 100, b"\0" * 50, True),
        (b"", b"words and words\n", b"words and more words\n", True),
        (b"", b"words and words\n", b"42\n", False),
        (b"", b"same\n" * 50, b"same\n", False),
    ],
)
def test_whether_an_edit_goes_on(base: bytes, old: bytes, new: bytes, expected: bool) -> None:  # noqa: FBT001
    assert goes_on(base, old, new) is expected
