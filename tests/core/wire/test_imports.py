import subprocess
import sys

ROOMS = ["address", "client", "errors", "frames", "limits", "messages", "server"]


def test_neither_a_hook_nor_a_window_loads_what_reads_repositories_or_databases() -> None:
    script = f"""
import sys
for room in {ROOMS!r}:
    __import__("backtrail.wire." + room)
print("\\n".join(sys.modules))
"""
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pygit2", "peewee", "click", "rich", "psutil", "isal"} & {name.split(".")[0] for name in loaded}
    ours = {name.split(".")[1] for name in loaded if name.startswith("backtrail.")}
    assert ours == {"model", "wire"}
