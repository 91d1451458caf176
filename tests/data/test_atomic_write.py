"""A file is the old one or the whole new one, whoever else writes it, and what is no file is not replaced by one."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from nlgauge.data import atomic_write as module
from nlgauge.data.atomic_write import UNFINISHED, atomic_write, goes_to_stdout, is_stream
from nlgauge.errors import InputError

posix = pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")

_WRITER = """
import sys
from nlgauge.data.atomic_write import atomic_write
place, letter, lines = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
with atomic_write(place) as file:
    for _ in range(lines):
        file.write(letter * 99 + "\\n")
        if lines > 1000:
            file.flush()
print("done", flush=True)
"""


def write(place: Path, text: str = "new") -> None:
    with atomic_write(place) as file:
        file.write(text)


def started(place: Path, *given: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(place), *given]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    return child


def go(children: Sequence[subprocess.Popen[str]]) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()


def test_what_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    with pytest.raises(ValueError, match="halfway"), atomic_write(place) as file:
        file.write("new")
        raise ValueError("halfway")
    assert place.read_text() == "old" and list(tmp_path.iterdir()) == [place]


@posix
def test_processes_that_race_leave_one_whole_file(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    for _ in range(5):
        children = [started(place, letter, "20000") for letter in "ab"]
        go(children)
        assert [child.communicate()[0] for child in children] == ["done\n"] * 2
        assert place.read_text() in {f"{letter * 99}\n" * 20_000 for letter in "ab"}
        assert list(tmp_path.iterdir()) == [place]


def test_threads_that_race_leave_one_whole_file(tmp_path: Path) -> None:
    place, failed = tmp_path / "a.txt", []
    texts = [str(number) * 10_000 for number in range(8)]

    def often(text: str) -> None:
        try:
            for _ in range(20):
                write(place, text)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=often, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and place.read_text() in texts and list(tmp_path.iterdir()) == [place]


@posix
def test_what_a_killed_writer_leaves_is_hidden_and_the_old_file_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    child = started(place, "x", "100000000")
    go([child])
    while not (left := set(tmp_path.iterdir()) - {place}):
        pass
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert place.read_text() == "old"
    (partial,) = left
    assert partial.name.startswith(".a.txt.") and partial.name.endswith(UNFINISHED)
    write(place)
    assert place.read_text() == "new"


@posix
def test_a_planted_name_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, victim = tmp_path / "a.txt", tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr(module, "token_hex", lambda count: "0")
    (tmp_path / f".a.txt.0{UNFINISHED}").symlink_to(victim)
    with pytest.raises(InputError, match="cannot be written: File exists"):
        write(place)
    assert victim.read_text() == "mine" and not place.exists()


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    file, link, second = tmp_path / "far" / "a.txt", tmp_path / "link", tmp_path / "second"
    file.write_text("old")
    link.symlink_to("far/a.txt")
    second.symlink_to(link)
    write(second)
    assert link.is_symlink() and second.is_symlink() and file.read_text() == "new"
    assert [path.name for path in (tmp_path / "far").iterdir()] == ["a.txt"]
    file.unlink()
    write(link, "made")
    assert link.is_symlink() and file.read_text() == "made"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "loop")


@posix
def test_permissions_stay_and_those_of_a_new_file_are_the_usual_ones(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    before = os.umask(0o027)
    try:
        write(place)
        assert stat.S_IMODE(place.stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o755):
            place.chmod(mode)
            with atomic_write(place) as file:
                (partial,) = set(tmp_path.iterdir()) - {place}
                assert stat.S_IMODE(partial.stat().st_mode) == mode
                file.write("new")
            assert stat.S_IMODE(place.stat().st_mode) == mode
    finally:
        os.umask(before)


@posix
def test_a_file_that_is_write_protected_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    place.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK or Path(path).stat().st_mode & 0o200 > 0)
    with pytest.raises(InputError, match="write-protected"):
        write(place)
    assert place.read_text() == "old" and list(tmp_path.iterdir()) == [place]


@posix
def test_a_device_is_written_to() -> None:
    """A terminal: in its folder nobody can make files, so that a mistake takes no device of the machine away."""
    ours, theirs = os.openpty()
    try:
        place = Path(os.ttyname(theirs))
        assert is_stream(place) and not goes_to_stdout(place)
        write(place)
        assert os.read(ours, 100) == b"new" and place.is_char_device()
    finally:
        os.close(ours)
        os.close(theirs)


@posix
def test_an_open_descriptor_is_written_to_where_it_stands(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb", buffering=0) as log:
        log.write(b"before ")
        place = Path(f"/dev/fd/{log.fileno()}")
        assert is_stream(place) and not goes_to_stdout(place)
        write(place)
        (tmp_path / "link").symlink_to(place)
        write(tmp_path / "link", " linked")
        log.write(b" after")
    assert (tmp_path / "log").read_text() == "before new linked after"


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "link"])
def test_the_standard_output_stays_what_it_was(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "out").write_text("there\n")
    script = "print('before')\nfrom nlgauge.data.atomic_write import atomic_write\n"
    script += f"with atomic_write({name!r}) as file: file.write('new\\n')\nprint('after')"
    with (tmp_path / "out").open("a") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, cwd=tmp_path, check=True)
    assert (tmp_path / "out").read_text() == "there\nbefore\nnew\nafter\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "out"]


def test_a_standard_output_that_takes_no_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(InputError, match="takes no files here"):
        write(Path("-"))
