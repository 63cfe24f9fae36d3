"""The hidden chain: every net state that goes in comes out again, and Git finds nothing wrong with it."""

import datetime
import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from backtrail.git.branch_name import is_branch_name
from backtrail.git.chain import BrokenChain, Chain, encode_chain, read_chain, read_state
from backtrail.git.new_objects import NewObject, add_objects, made
from backtrail.git.objects import Kind, Objects
from backtrail.git.repository import Repository
from backtrail.git.trees import Trees, build_trees
from backtrail.model.checkpoint import Cause, Checkpoint, CheckpointState, Context, Difference, Lost, Origin
from backtrail.model.coverage import Coverage, LeftOut, Reason
from backtrail.model.ids import CheckpointId, MemoryId, Oid, RelPath, Token, oid_from_hex
from backtrail.model.net_state import FolderEntry, IndexEntry, Merge, Mode, NetState, Operation, WorkingEntry
from core.git_oracle import damage, git, new_repository
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NOW = datetime.datetime(2026, 7, 1, 12, 0, 0, 123457, tzinfo=datetime.UTC)
CONTENTS = [made(Kind.BLOB, content) for content in (b"", b"one\n", b"two\n", b"\0\xff")]


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Path, Oid]]:
    """One repository for all examples, and its HEAD."""
    with tempfile.TemporaryDirectory() as place:
        root = new_repository(Path(place) / "notes")
        add_objects(bytes(root / ".git" / "objects"), CONTENTS)
        yield root, oid_from_hex(git(root, "rev-parse", "HEAD").decode().strip())


def stored(root: Path, checkpoint: Checkpoint, state: NetState) -> tuple[Chain, Checkpoint]:
    """Write a chain as a capture does, and return it with the checkpoint as it should be read back."""
    working = build_trees((entry.path, entry.mode, entry.oid) for entry in state.working)
    index = build_trees((entry.path, entry.mode, entry.oid) for entry in state.index if not entry.intent_to_add)
    checkpoint = msgspec.structs.replace(
        checkpoint, index_tree=index.root, working_tree=working.root, branch=state.branch, head=state.head,
        operation=state.operation, coverage=state.coverage,
    )  # fmt: skip
    chain = encode_chain(checkpoint, state)
    for item in (*_trees(working), *_trees(index), *chain.objects):
        add_objects(bytes(root / ".git" / "objects"), [item])
    return chain, msgspec.structs.replace(checkpoint, commit=chain.commit, state=CheckpointState.RECOVERED)


def _trees(trees: Trees) -> list[NewObject]:
    return [made(Kind.TREE, raw) for raw in trees.objects.values()]


def objects_of(root: Path) -> Objects:
    return Objects(Repository.open(os.fsencode(root)))


PLAIN = Checkpoint(
    id=CheckpointId("ab" * 16),
    memory_id=MemoryId("cd" * 16),
    seq=1,
    state=CheckpointState.RECORDED,
    commit=Oid(bytes(20)),
    branch=None,
    head=None,
    operation=Operation.NONE,
    index_tree=Oid(bytes(20)),
    working_tree=Oid(bytes(20)),
    content_token=Token("ef" * 32),
    context=Context(Origin.HOST_OBSERVATION, Cause.MEMORY_SCAN),
    captured_at=NOW,
    coverage=Coverage(),
)
EMPTY = NetState(
    branch=b"main", head=None, operation=Operation.NONE, merge=None, index=(), working=(), folders=(),
    coverage=Coverage(),
)  # fmt: skip

names = st.binary(min_size=1, max_size=6).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..") and name.lower() != b".git"
)
paths = st.lists(names, min_size=1, max_size=3).map(b"/".join)
oids = st.sampled_from([item.oid for item in CONTENTS])
texts = st.text(max_size=30)
counts = st.integers(0, 1 << 53)


def _apart(found: list[bytes]) -> list[bytes]:
    """Drop paths that would be both a file and a folder."""
    kept: list[bytes] = []
    for path in sorted(set(found)):
        if not any(path.startswith(other + b"/") for other in kept):
            kept.append(path)
    return kept


@st.composite
def index_entries(draw: st.DrawFn, path: bytes) -> IndexEntry:
    mode = draw(st.sampled_from([Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK]))
    flags = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    return IndexEntry(RelPath(path), int(mode), draw(oids), 0, *flags)


@st.composite
def net_states(draw: st.DrawFn) -> NetState:
    tracked = _apart(draw(st.lists(paths, max_size=6)))
    index = tuple(draw(index_entries(path)) for path in tracked)
    known = {entry.path: entry for entry in index}
    working = []
    for path in _apart(tracked + draw(st.lists(paths, max_size=4))):
        entry = known.get(RelPath(path))
        mode = draw(st.sampled_from([Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK]))
        permissions = 0 if mode == Mode.SYMLINK else draw(st.sampled_from([0o644, 0o755, 0o600, 0o4755]))
        oid = draw(oids)
        stat_clean = entry is not None and draw(st.booleans())
        same = entry is not None and (entry.mode, entry.oid) == (mode, oid)
        working.append(WorkingEntry(RelPath(path), int(mode), permissions, oid, 0, stat_clean or same, stat_clean))
    folders = tuple(
        FolderEntry(RelPath(path), permissions, empty)
        for path in _apart(draw(st.lists(paths, max_size=3)))
        for permissions, empty in [draw(st.sampled_from([(0o755, True), (0o700, True), (0o700, False)]))]
    )
    left_out = st.builds(
        LeftOut,
        paths.map(RelPath),
        st.sampled_from(Reason),
        st.none() | st.integers(0, 1 << 50),
        st.none() | st.just("12" * 20),
        st.none() | st.booleans(),
    )
    return NetState(
        branch=draw(st.none() | st.binary(min_size=1, max_size=8).filter(is_branch_name)),
        head=None,
        operation=draw(st.sampled_from([kind for kind in Operation if kind is not Operation.MERGE])),
        merge=None,
        index=index,
        working=tuple(working),
        folders=folders,
        coverage=Coverage(tuple(draw(st.lists(left_out, max_size=3))), draw(st.integers(0, 10))),
    )


checkpoints = st.builds(
    lambda seq, context, difference, lost, kept_in, went_back, second: msgspec.structs.replace(
        PLAIN,
        seq=seq,
        context=context,
        note=context.note,
        difference=difference,
        lost=tuple(lost),
        kept_in=kept_in,
        clock_went_back=went_back,
        captured_at=NOW + datetime.timedelta(seconds=second),
    ),
    st.integers(1, 1 << 40),
    st.builds(
        Context, st.sampled_from(Origin), st.sampled_from(Cause), st.none() | texts, st.none() | texts,
        st.none() | texts,
    ),
    st.builds(Difference, counts, counts, counts, st.lists(paths, max_size=5).map(tuple)),
    st.lists(st.builds(Lost, paths.map(RelPath), oids, st.booleans()), max_size=3),
    st.none() | st.just(CheckpointId("99" * 16)),
    st.booleans(),
    st.integers(0, 10**9),
)  # fmt: skip


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(checkpoints, net_states(), st.booleans())
def test_everything_comes_back(
    shared: tuple[Path, Oid],
    checkpoint: Checkpoint,
    state: NetState,
    born: bool,  # noqa: FBT001
) -> None:
    root, head = shared
    state = msgspec.structs.replace(state, head=head if born else None)
    chain, expected = stored(root, checkpoint, state)
    objects = objects_of(root)
    found = read_chain(objects, chain.commit)
    assert found.checkpoint == expected
    assert read_state(objects, found) == state


def test_git_finds_nothing_wrong_with_what_was_made(shared: tuple[Path, Oid]) -> None:
    root, head = shared
    for number, (merging, long, born) in enumerate(itertools.product([False, True], repeat=3)):
        state = msgspec.structs.replace(EMPTY, head=head if born else None)
        if merging:
            merge = Merge((head,), b"Merge\n\xff", b"no-ff")
            state = msgspec.structs.replace(state, operation=Operation.MERGE, merge=merge)
        if long:
            odd = tuple(LeftOut(RelPath(b"x%d/" % at), Reason.UNREADABLE) for at in range(3000))
            state = msgspec.structs.replace(state, coverage=Coverage(odd))
        chain, _ = stored(root, PLAIN, state)
        git(root, "update-ref", f"refs/botharness/recovery/{number}", chain.commit.hex())
    assert damage(root) == b""


def test_b23_a_merge_in_progress_comes_back_with_its_notes(shared: tuple[Path, Oid]) -> None:
    root, head = shared
    git(root, "commit", "-q", "--allow-empty", "-m", "other")
    other = oid_from_hex(git(root, "rev-parse", "HEAD").decode().strip())
    for message, mode in ((b"Merge \xff\n# conflicts\n", b""), (None, None), (b"", b"no-ff")):
        merge = Merge((other, head), message, mode)
        state = msgspec.structs.replace(EMPTY, head=head, operation=Operation.MERGE, merge=merge)
        chain, expected = stored(root, PLAIN, state)
        found = read_chain(objects_of(root), chain.commit)
        assert (found.checkpoint, found.merge) == (expected, merge)
        assert read_state(objects_of(root), found) == state
        parents = git(root, "rev-list", "--parents", "-1", f"{chain.commit.hex()}^2").decode().split()[1:]
        assert parents == [other.hex(), head.hex()]


def test_metadata_above_64_kib_goes_into_a_commit_of_its_own(shared: tuple[Path, Oid]) -> None:
    root, head = shared
    left_out = tuple(LeftOut(RelPath(b"folder/file number %d" % at), Reason.UNREADABLE, at) for at in range(5000))
    state = msgspec.structs.replace(EMPTY, head=head, coverage=Coverage(left_out))
    chain, expected = stored(root, PLAIN, state)
    assert len(git(root, "cat-file", "commit", chain.commit.hex())) < 1000
    assert len(git(root, "cat-file", "blob", f"{chain.commit.hex()}^2:checkpoint.json")) > 64 * 1024
    found = read_chain(objects_of(root), chain.commit)
    assert found.checkpoint == expected
    assert found.commits == (chain.commit, *(_parent(root, chain, number) for number in (1, 2)))


def _parent(root: Path, chain: Chain, number: int) -> Oid:
    return oid_from_hex(git(root, "rev-parse", f"{chain.commit.hex()}^{number}").decode().strip())


def test_an_unchanged_index_on_an_unchanged_head_is_the_same_commit(shared: tuple[Path, Oid]) -> None:
    root, head = shared
    state = msgspec.structs.replace(EMPTY, head=head)
    first, _ = stored(root, PLAIN, state)
    later = msgspec.structs.replace(PLAIN, seq=2, captured_at=NOW + datetime.timedelta(days=1))
    second, _ = stored(root, later, state)
    assert first.commit != second.commit
    assert _parent(root, first, 1) == _parent(root, second, 1)
    assert _parent(root, first, 1) != head


def test_what_is_no_chain_of_ours_is_refused(shared: tuple[Path, Oid]) -> None:
    root, head = shared
    objects = objects_of(root)
    whole, _ = stored(root, PLAIN, msgspec.structs.replace(EMPTY, head=head))
    text = objects.read(whole.commit)[1]
    index = _parent(root, whole, 1)
    changed = {
        "no parent": text.replace(b"parent " + index.hex().encode() + b"\n", b""),
        "HEAD itself as index": text.replace(index.hex().encode(), head.hex().encode()),
        "no JSON": text.partition(b"\n\n")[0] + b"\n\nhello\n",
        "another format": text.replace(b'"format": 1', b'"format": 2'),
        "another head": text.replace(b'"head": "' + head.hex().encode(), b'"head": "' + b"0" * 40),
        "an odd origin": text.replace(b'"host-observation"', b'"someone"'),
    }
    for why, content in changed.items():
        assert content != text, why
        commit = made(Kind.COMMIT, content)
        add_objects(objects.folder, [commit])
        with pytest.raises(BrokenChain):
            read_chain(objects_of(root), commit.oid)
    for other in (CONTENTS[1].oid, head):
        with pytest.raises(BrokenChain):
            read_chain(objects, other)
