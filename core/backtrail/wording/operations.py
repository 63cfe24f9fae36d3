"""What Git is in the middle of, in words that fit into a sentence."""

from backtrail.model.net_state import Operation

_WORDS = {
    Operation.NONE: "nothing",
    Operation.MERGE: "a merge",
    Operation.REBASE: "a rebase",
    Operation.CHERRY_PICK: "a cherry-pick",
    Operation.REVERT: "a revert",
    Operation.APPLY: "applying patches (git am)",
    Operation.BISECT: "a bisect",
}


def operation_text(operation: str) -> str:
    """Return the words for an operation's code; the code itself where it is none of ours."""
    return _WORDS[Operation(operation)] if operation in set(Operation) else operation
