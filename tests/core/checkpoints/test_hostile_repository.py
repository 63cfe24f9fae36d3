"""One odd or hostile repository neither hangs nor stops anything, writes nowhere else, and costs no checkpoint."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from backtrail.git.refs import create_ref
from backtrail.model.checkpoint import CheckpointState
from backtrail.model.errors.repository import CannotBeProtected
from backtrail.model.ids import oid_from_hex
from backtrail.model.memory import ProtectionState
from core.git_oracle import ask, git, recovery_refs
from core.keeping import Keeping
from core.other_process import keep_elsewhere


def crafted(keeping: Keeping, **changed: object) -> str:
    """Write a ref by hand that claims to be a checkpoint, with some of its facts changed; return its id."""
    kept = keeping.timeline()[0]
    commit = ask(keeping.root, "cat-file", "commit", kept.commit.hex()).decode()
    header, _, message = commit.partition("\n\n")
    title, _, told = message.partition("\n\n")
    new_id = "f" * 32
    facts = json.loads(told) | {"id": new_id, "seq": 77} | changed
    text = f"{header}\n\n{title}\n\n{json.dumps(facts)}\n"
    made = subprocess.run(
        ["git", "-C", str(keeping.root), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=text.encode(),
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    git(keeping.root, "update-ref", f"refs/botharness/recovery/{new_id}", made.strip())
    return new_id


@pytest.mark.parametrize(
    "facts",
    [
        {"branch": "../../../../outside"},
        {"branch": "a\nb"},
        {"branch": "a..b.lock"},
        {"captured_at": "9999-12-31T23:59:59-12:00"},
        {"captured_at": "2026-11-30T12:00:00"},
        {"seq": 10**26},
        {"permissions": [{"path": "f", "permissions": 10**20}]},
        {"intent_to_add": [{"path": "g", "mode": 7, "oid": "0" * 40}]},
        {"head": "zz"},
    ],
)
def test_a_ref_that_says_what_no_checkpoint_can_is_passed_over(keeping: Keeping, facts: dict[str, object]) -> None:
    kept = keeping.checkpoint()
    crafted(keeping, **facts)
    (keeping.root / "f").write_text("work goes on\n")
    assert keeping.scan().checkpoint is not None
    assert [row.seq for row in keeping.timeline()] == [kept.seq, kept.seq + 1]


FIFOS = {
    "pack.keep": "objects/pack/pack-x.keep",
    "pack.idx": "objects/pack/pack-1234567890123456789012345678901234567890.idx",
    "multi-pack-index": "objects/pack/multi-pack-index",
    "commit-graph": "objects/info/commit-graph",
    "grafts": "info/grafts",
}


@pytest.mark.parametrize("place", FIFOS.values(), ids=FIFOS.keys())
def test_b52_a_fifo_where_libgit2_would_read_does_not_hang(keeping: Keeping, place: str) -> None:
    keeping.checkpoint()
    path = keeping.root / ".git" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(CannotBeProtected) as refused, keeping.opened():
        pass
    assert refused.value.why == "odd-file"


def test_b52_a_fifo_in_an_alternate_does_not_hang(keeping: Keeping, tmp_path: Path) -> None:
    keeping.checkpoint()
    (tmp_path / "other/info").mkdir(parents=True)
    os.mkfifo(tmp_path / "other/info/alternates")
    alternates = keeping.root / ".git/objects/info/alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{tmp_path}/other\n")
    with pytest.raises(CannotBeProtected), keeping.opened():
        pass


def test_our_refs_are_not_written_through_a_link(keeping: Keeping, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (keeping.root / ".git/refs/botharness").symlink_to(outside)
    with keeping.opened() as work:
        observed = work.scan()
    assert observed.failure is not None
    assert observed.failure.code == "capture-failed"
    assert observed.protection.state is ProtectionState.NOT_PROTECTED
    assert [path for path in outside.rglob("*") if path.is_file()] == []


def test_a_ref_that_is_packed_while_it_is_looked_for_is_not_lost(keeping: Keeping) -> None:
    kept = [keeping.checkpoint()]
    for text in ("one\n", "two\n"):
        (keeping.root / "f").write_text(text)
        kept.append(keeping.checkpoint())
    git(keeping.root, "pack-refs", "--all")
    create_ref(os.fsencode(keeping.root / ".git"), b"refs/botharness/recovery/" + b"e" * 32, kept[0].commit)
    assert {row.state for row in keeping.timeline()} == {CheckpointState.RECORDED}
    assert all(any(row.id in ref for ref in recovery_refs(keeping.root)) for row in kept)


def test_objects_that_may_not_be_read_for_a_while_cost_no_ref(keeping: Keeping) -> None:
    kept = keeping.checkpoint()
    folder = keeping.root / ".git/objects" / kept.commit.hex()[:2]
    folder.chmod(0)
    keep_elsewhere(keeping.home, keeping.root, privileged=False)
    folder.chmod(0o755)
    assert any(kept.id in ref for ref in recovery_refs(keeping.root))
    with keeping.opened():
        pass
    assert next(row for row in keeping.timeline() if row.id == kept.id).state is CheckpointState.RECORDED


def test_a_history_with_a_hole_is_kept_and_its_losses_named(keeping: Keeping) -> None:
    first = ask(keeping.root, "rev-parse", "HEAD").decode().strip()
    (keeping.root / "a").write_text("second\n")
    git(keeping.root, "add", "a")
    git(keeping.root, "commit", "-qm", "second")
    (keeping.root / ".git/objects" / first[:2] / first[2:]).unlink()
    for log in (keeping.root / ".git/logs").rglob("*"):
        if log.is_file():
            log.unlink()
    with keeping.opened() as work:
        work.scan()
    (keeping.root / "work").write_text("an hour of it\n")
    with keeping.opened() as work:
        work.scan()
    (keeping.root / "work").unlink()
    with keeping.opened() as work:
        taken = work.scan().checkpoint
    assert taken is not None
    assert [lost.path for lost in taken.lost] == [b"work"]


def test_head_as_a_link_is_a_branch(keeping: Keeping) -> None:
    git(keeping.root, "config", "core.preferSymlinkRefs", "true")
    git(keeping.root, "checkout", "-qb", "feature")
    assert (keeping.root / ".git/HEAD").is_symlink()
    assert keeping.checkpoint().branch == b"feature"
    assert oid_from_hex(ask(keeping.root, "rev-parse", "HEAD").decode().strip()) == keeping.timeline()[0].head
