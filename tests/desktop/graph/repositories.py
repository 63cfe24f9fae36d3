"""Repositories to draw, and how long a test waits for what they tell: as long as the slowest machine needs."""

from pathlib import Path

from core.git_oracle import git, new_repository

PATIENCE_MS = 20_000


def grown(root: Path) -> Path:
    """Make a repository with branches, an octopus, a tag with a message, and a ref of ours that nobody is to see."""
    new_repository(root)
    for number in range(30):
        git(root, "commit", "-q", "--allow-empty", "-m", f"c{number}")
    for name, start in (("side", "main~10"), ("other", "main~20")):
        git(root, "switch", "-q", "-c", name, start)
        git(root, "commit", "-q", "--allow-empty", "-m", name)
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "-m", "octopus", "side", "other")
    git(root, "tag", "-a", "-m", "x", "heavy", "side")
    git(
        root,
        "update-ref",
        "refs/botharness/recovery/" + "ab" * 16,
        git(root, "commit-tree", "-m", "ours", "main^{tree}").strip().decode(),
    )
    return root
