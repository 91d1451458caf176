"""Fuzzing: whatever happens to the disk, the cache or the process, files are whole or not there, and scores the same.

    python fuzzing/faults.py [--inputs 300] [--seed 0] [--repeat INPUT]      (Linux)

A job writes: it saves a table, a page or evidence, keeps rows on disk, scores with a cache, or scores into a folder by
a metric that reads a model and string metrics. Meanwhile a disk is full after so many bytes, the place is no
folder, cannot be written or takes nothing, the process is killed or interrupted at its n-th call of a function, another
process does the same job, or the cache or a file of the folder was cut, damaged, locked or replaced before. Then the
file is the old one or the whole new one, nothing is left beside it, the error is one line, and the same job done again
has the numbers, reasons and notes of a run that nothing happened to and that kept nothing.
"""

from __future__ import annotations

import functools
import os
import re
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fuzzer import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from mutations import mutated, mutations

import nlgauge
from nlgauge import Corpus
from nlgauge.data.atomic_write import UNFINISHED
from nlgauge.engine.models import loading
from nlgauge.errors import NlgaugeError
from nlgauge.run import store

_FOLDER = Path(tempfile.mkdtemp(prefix="nlgauge-fuzzing-"))
_OLD = b"what stood here before\n"
_ROWS = [
    {"system": system, "item": item, "candidate": f"{text} {system * item}", "references": [text], "source": text}
    for system in ("a", "b")
    for item, text in enumerate(["A cat sat.", "Rain fell all day long.", "東京 😀"] * 4, 1)
]
_ROWS[5]["candidate"] = _ROWS[-1]["candidate"] = ""  # rows with a reason, and no number
_METRICS = ["TokenF1", "Length", "ChrF"]
_OF_BOTH_KINDS = ["FrechetDistance", "TokenF1", "Length"]
_ROWS_PER_BLOCK = 5
_CALLS = 3
"""How many times as many functions a run into a folder calls as another job"""


def _table(cache: Path | bool = False) -> nlgauge.ScoreTable:
    return nlgauge.evaluate(Corpus.from_records(_ROWS), metrics=_METRICS, evidence=True, cache=cache)


def _in_blocks(output: Path | None) -> nlgauge.ScoreTable:
    return nlgauge.evaluate(
        Corpus.from_records(_ROWS), metrics=_OF_BOTH_KINDS, cache=False, rows_per_block=_ROWS_PER_BLOCK, output=output
    )


@functools.cache
def _known() -> nlgauge.ScoreTable:
    return _table()


def _save(path: Path, cache: Path) -> None:
    _known().save(path)


def _report(path: Path, cache: Path) -> None:
    nlgauge.report(_known(), path, replicates=20)


def _spool(path: Path, cache: Path) -> None:
    rows = path.with_suffix(".jsonl")
    corpus = Corpus.read(rows, on_disk=True)
    nlgauge.evaluate(corpus, metrics="TokenF1", cache=False).save(path)


def _score(path: Path, cache: Path) -> None:
    _table(cache).save(path)


def _folder(path: Path, cache: Path) -> None:
    _in_blocks(_folder_of(path)).save(path)


def _folder_of(path: Path) -> Path:
    return path.with_name(path.name + ".scores")


_JOBS: dict[str, Callable[[Path, Path], None]] = {
    "save": _save,
    "report": _report,
    "spool": _spool,
    "score": _score,
    "folder": _folder,
}
if find_spec("pyarrow") is None:
    del _JOBS["folder"]  # which is written as Parquet


@contextmanager
def _full_after(size: int) -> Iterator[None]:
    """A disk on which no file grows beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _dies(job: Callable[[], None], call: int, how: str) -> None:
    """Do a job in a process of its own that ends at the n-th call of a function."""
    child = os.fork()
    if child == 0:
        left = call

        def count(*_: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                if how == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise KeyboardInterrupt

        with open(os.devnull, "w") as nothing, suppress(BaseException):  # noqa: PTH123
            os.dup2(nothing.fileno(), 2)
            sys.setprofile(count)
            job()
        os._exit(0)
    os.waitpid(child, 0)


def _wanted(name: str) -> bytes:
    """What a job writes where nothing happens."""
    return _undisturbed()[name]


@functools.cache
def _undisturbed() -> dict[str, bytes]:
    """What each job writes; those that score write what a run writes that keeps nothing and has no folder."""
    found = {}
    for name, job in _JOBS.items():
        folder = _fresh()
        job(folder / "out", folder / "cache")
        found[name] = (folder / "out").read_bytes()
    for name, table in (("score", _table()), ("folder", _in_blocks(None))):
        if name not in _JOBS:
            continue
        table.save(_fresh() / "out")
        if found[name] != (_FOLDER / "job" / "out").read_bytes():
            raise BrokenPromiseError(f"{name} has other numbers than a run that keeps nothing")
    return found


def _fresh() -> Path:
    """A folder with rows, an old file where the new one goes, and nothing else."""
    folder = _FOLDER / "job"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lines = "".join(f'{{"candidate": "{"word " * n}", "references": ["word"]}}\n' for n in range(40))
    (folder / "out.jsonl").write_text(lines)
    (folder / "out").write_bytes(_OLD)
    return folder


def _error_of(job: Callable[[Path, Path], None], path: Path, cache: Path) -> str:
    """The name of the error that a job ends with, or 'done'."""
    try:
        job(path, cache)
    except NlgaugeError as error:
        if "\n" in str(error):
            raise BrokenPromiseError("the error has several lines") from error
        return type(error).__name__
    return "done"


def _hurt(cache: Path, changes: list[Any]) -> None:
    """Damage what a run kept, as a disk would."""
    _table(cache)
    for file in cache.glob("*"):
        file.write_bytes(mutated(file.read_bytes(), changes))


def _hurt_folder(path: Path, changes: list[Any], number: int) -> None:
    """Damage a file of a folder that a run wrote, but for the one that says which run it was."""
    _in_blocks(_folder_of(path))
    files = sorted(file for file in _folder_of(path).iterdir() if file.name != "_plan.json")
    file = files[number % len(files)]
    file.write_bytes(mutated(file.read_bytes(), changes))


def _at_once(job: Callable[[Path, Path], None], path: Path, cache: Path) -> str:
    """Do a job while another process does it too: only a folder is one run's at a time."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            _error_of(job, path, cache)
        os._exit(0)
    ended = _error_of(job, path, cache)
    os.waitpid(child, 0)
    if ended != "done" and job is not _folder:
        raise BrokenPromiseError(f"two at once: {ended}")
    return ended


def outcome(given: dict[str, Any]) -> str:
    """Let it happen, look at what is there, and do the job again."""
    name, fault, number = given["job"], given["fault"], given["number"]
    job, folder = _JOBS[name], _fresh()
    path, cache = folder / "out", folder / "cache"
    ended = fault
    with _stderr_closed():
        if fault in ("killed", "interrupted"):
            _dies(lambda: job(path, cache), number * (_CALLS if job is _folder else 1), fault)
        elif fault == "full":
            with _full_after(number):
                ended = _error_of(job, path, cache)
        elif fault == "at once":
            ended = _at_once(job, path, cache)
        elif fault == "damaged":
            if job is _folder:
                _hurt_folder(path, given["changes"], number)
            else:
                _hurt(cache, given["changes"])
            ended = _error_of(job, path, cache)
        elif fault == "cache locked":
            ended = _locked(job, path, cache)
        elif fault == "cache is a file":
            cache.write_bytes(_OLD)
            ended = _error_of(job, path, cache)
        else:
            odd = {"no folder": folder / "out.jsonl" / "x", "a folder": folder, "long name": folder / ("x" * 300)}
            ended = _error_of(job, odd.get(fault, Path("/proc/out")), cache) if name != "spool" else "done"
    _look(folder, path, _wanted(name), ended, killed=fault == "killed")
    for left in folder.glob(f".*{UNFINISHED}"):  # of who was killed: what is in a folder of scores the next run removes
        left.unlink()
    if cache.is_file():
        cache.unlink()
    again = _error_of(job, path, cache)
    if again != "done" or path.read_bytes() != _wanted(name):
        raise BrokenPromiseError(f"done again, the job ends otherwise: {again}")
    _look(folder, path, _wanted(name), again, killed=False)
    if job is _folder and nlgauge.ScoreTable.load(_folder_of(path)) != nlgauge.ScoreTable.load(path):
        raise BrokenPromiseError("the folder holds another table than the run gave")
    return f"{fault}: {'done' if path.read_bytes() == _wanted(name) and ended == 'done' else ended}"


def _look(folder: Path, path: Path, wanted: bytes, ended: str, *, killed: bool) -> None:
    there = path.read_bytes()
    if there not in (_OLD, wanted):
        raise BrokenPromiseError(f"the file is neither the old one nor the new one: {there[:60]!r}")
    beside = {file.name for file in folder.iterdir()} - {"out", "out.jsonl", "out.scores", "cache"}
    beside |= {file.name for file in _folder_of(path).glob(".*")}
    # Who is killed can take nothing away, but what is left is hidden.
    if killed:
        beside = {name for name in beside if name != ".lock" and not re.fullmatch(rf"\..+{UNFINISHED}", name)}
    if beside:
        raise BrokenPromiseError(f"something is left beside the file: {sorted(beside)}")


def _locked(job: Callable[[Path, Path], None], path: Path, cache: Path) -> str:
    _table(cache)
    (file,) = cache.glob("*.sqlite")
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        return _error_of(job, path, cache)
    finally:
        holder.close()


@contextmanager
def _stderr_closed() -> Iterator[None]:
    """What is told of a cache is not looked at here."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


_FAULTS = ["killed", "killed", "interrupted", "interrupted", "full", "full", "damaged", "damaged", "at once"]
_FAULTS += ["cache is a file", "no folder", "a folder", "long name", "not writable", "cache locked"]
INPUTS = st.fixed_dictionaries(
    {
        "job": st.sampled_from([*_JOBS, *(name for name in ("score", "folder", "folder") if name in _JOBS)]),
        "fault": st.sampled_from(_FAULTS),
        "number": st.one_of(st.integers(1, 300), st.integers(1, 30_000)),
        "changes": mutations(),
    }
)

if __name__ == "__main__":
    store.BUSY_S = 0.2  # the limit of an input is shorter than a user's patience
    loading.load = functools.cache(loading.load)
    _undisturbed()
    sys.exit(main(Surface("faults", INPUTS, outcome)))
