"""Where the program begins: before anything slow is imported, so that an interruption meets no traceback.

Owns nothing but that moment; everything else is `cli.main`'s.
"""

import sys

_INTERRUPTED = 130
_TOLD = '{"error":{"code":"interrupted","message":"Interrupted.","remedy":"Nothing was begun.","data":{}}}'


def main() -> None:
    """Run the program and exit."""
    try:
        from backtrail.cli.main import main as run  # noqa: PLC0415 - this is what takes its time
    except KeyboardInterrupt:
        if "--json" in sys.argv:
            sys.stdout.write(
                '{"error":{"code":"interrupted","message":"Interrupted.","remedy":"Nothing was begun.","data":{}}}\n'
            )
        else:
            sys.stderr.write("Interrupted. Nothing was begun.\n")
        sys.exit(_INTERRUPTED)
    run()
