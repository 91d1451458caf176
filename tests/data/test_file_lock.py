"""One process at a time holds a lock, and a killed one leaves none."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nlgauge.data import file_lock as module
from nlgauge.data.file_lock import _locked, alone

_HOLD = """
import sys, time
from pathlib import Path
from nlgauge.data.file_lock import alone
with alone(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(60)
"""


def test_one_holds_it_and_the_file_goes_with_the_lock(tmp_path: Path) -> None:
    place = tmp_path / ".lock"
    with alone(place) as mine:
        assert mine and place.exists()
        with alone(place) as other:
            assert not other
        assert place.exists(), "who does not hold it does not remove it"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="inside"), alone(place):
        raise ValueError("inside")
    assert list(tmp_path.iterdir()) == []
    with alone(place) as mine:
        assert mine


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    place = tmp_path / ".lock"
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(place)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "True\n"
        with alone(place) as mine:
            assert not mine
        holder.send_signal(signal.SIGKILL)
    assert place.exists()
    with alone(place) as mine:
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
    with alone(place) as mine:
        assert mine and place.exists() and len(tries) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_where_there_are_no_locks_nobody_is_kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(descriptor: int, operation: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", none)
    with alone(tmp_path / ".lock") as mine, alone(tmp_path / ".lock") as other:
        assert mine and other


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".lock").symlink_to("mine")
    with pytest.raises(OSError, match="symbolic links"), alone(tmp_path / ".lock"):
        pass
    assert (tmp_path / "mine").read_text() == "mine"


def test_who_waits_gets_it_when_it_is_given_back(tmp_path: Path) -> None:
    place, ends = tmp_path / ".lock", []

    def holds() -> None:
        with alone(place) as mine:
            ends.append(mine)
            time.sleep(0.2)
            ends.append("end")

    holder = threading.Thread(target=holds)
    holder.start()
    while not ends:
        time.sleep(0.01)
    with alone(place, 0.02) as mine:
        assert not mine
    with alone(place, 60) as mine:
        assert mine and ends == [True, "end"]
    holder.join()
    assert list(tmp_path.iterdir()) == []
