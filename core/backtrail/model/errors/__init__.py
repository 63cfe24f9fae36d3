"""What can go wrong, one module per operation.

An error has a stable code and typed facts; the sentences are in `wording`.
"""

from typing import ClassVar


class BacktrailError(Exception):
    """The base of every refusal and failure that a person may see. Nothing was lost or half done when one is raised."""

    code: ClassVar[str]

    def facts(self) -> dict[str, object]:
        """Return the data that goes with the code, by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}
