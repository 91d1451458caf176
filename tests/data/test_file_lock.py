"""One process at a time holds a lock, and a killed one leaves none."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nlgauge.data import atomic_write as module
from nlgauge.data.atomic_write import _locked, file_lock

_HOLD = """
import sys, time
from pathlib import Path
from nlgauge.data.atomic_write import file_lock
with file_lock(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    place = tmp_path / ".lock"
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(place)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "True\n"
        with file_lock(place) as mine:
            assert not mine
        holder.send_signal(signal.SIGKILL)
    assert place.exists()
    with file_lock(place) as mine:
        assert mine
    assert not place.exists()


def test_a_lock_on_a_file_that_was_removed_meanwhile_is_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, tries = tmp_path / ".lock", []

    def removed_first(descriptor: int) -> bool:
        tries.append(descriptor)
        if len(tries) == 1:
            place.unlink()
        return _locked(descriptor)

    monkeypatch.setattr(module, "_locked", removed_first)
    with file_lock(place) as mine:
        assert mine and place.exists() and len(tries) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_where_there_are_no_locks_nobody_is_kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(descriptor: int, operation: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", none)
    with file_lock(tmp_path / ".lock") as mine, file_lock(tmp_path / ".lock") as other:
        assert mine and other
