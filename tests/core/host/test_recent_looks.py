"""What is remembered of looks is bounded, and never that of a folder that was switched away."""

from backtrail.host.recent_looks import RecentLooks
from backtrail.model.ids import MemoryId, Oid, RelPath
from backtrail.model.net_state import WorkingEntry
from backtrail.scan.stat_cache import StatCache

ENTRY = WorkingEntry(RelPath(b"f"), 0o100644, 0o644, Oid(bytes(20)))
A, B, C = (MemoryId(name) for name in "abc")


def of_size(entries: int) -> StatCache:
    cache = StatCache()
    cache.working = {b"%d" % number: ENTRY for number in range(entries)}
    return cache


def test_large_ones_give_way_and_the_last_stays() -> None:
    recent, caches = RecentLooks(), {name: of_size(6_000) for name in (A, B, C)}
    for name, cache in caches.items():
        recent.keep(name, cache)
    assert [recent.get(name) for name in (A, B, C)] == [None, caches[B], caches[C]]
    huge = of_size(50_000)
    recent.keep(A, huge)
    assert recent.get(A) is huge
    recent.keep(B, caches[B])
    assert recent.get(A) is None


def test_small_ones_are_all_remembered_until_they_are_forgotten() -> None:
    recent = RecentLooks()
    for number in range(100):
        recent.keep(MemoryId(str(number)), of_size(50))
    assert all(recent.get(MemoryId(str(number))) is not None for number in range(100))
    recent.forget(MemoryId("7"))
    assert recent.get(MemoryId("7")) is None
