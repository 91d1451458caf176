"""Campaign: whatever happens to the disk, the cache or the process, files are whole or not there, and scores the same.

    python campaigns/faults.py [--inputs 300] [--seed 0] [--repeat INPUT]      (Linux)

A job writes: it saves a table, a page or evidence, keeps rows on disk, or scores with a cache. Meanwhile a disk is full
after so many bytes, the place is no folder, cannot be written or takes nothing, the process is killed or interrupted at
its n-th call of a function, or the cache was cut, damaged, locked or replaced before. Then the file is the old one or
the whole new one, nothing is left beside it, the error is one line, and the same job done again ends as if nothing had
happened. `benchmarks/faults.py` does the like to whole commands, with models, for minutes.
"""

from __future__ import annotations

import functools
import os
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from campaign import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from mutations import mutated, mutations

import nlgauge
from nlgauge import Corpus
from nlgauge.errors import NlgaugeError
from nlgauge.store import file as store

_FOLDER = Path(tempfile.mkdtemp(prefix="nlgauge-campaign-"))
_OLD = b"what stood here before\n"
_ROWS = [
    {"system": system, "item": item, "candidate": f"{text} {system * item}", "references": [text], "source": text}
    for system in ("a", "b")
    for item, text in enumerate(["A cat sat.", "Rain fell all day long.", "東京 😀"] * 4, 1)
]
_METRICS = ["TokenF1", "Length", "EED"]


def _table(cache: Path | bool = False) -> nlgauge.ScoreTable:
    return nlgauge.evaluate(Corpus.from_records(_ROWS), metrics=_METRICS, evidence=True, cache=cache)


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


_JOBS: dict[str, Callable[[Path, Path], None]] = {"save": _save, "report": _report, "spool": _spool, "score": _score}


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
    found = {}
    for name, job in _JOBS.items():
        folder = _fresh()
        job(folder / "out", folder / "cache")
        found[name] = (folder / "out").read_bytes()
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


def outcome(given: dict[str, Any]) -> str:
    """Let it happen, look at what is there, and do the job again."""
    name, fault, number = given["job"], given["fault"], given["number"]
    job, folder = _JOBS[name], _fresh()
    path, cache = folder / "out", folder / "cache"
    ended = fault
    with _stderr_closed():
        if fault in ("killed", "interrupted"):
            _dies(lambda: job(path, cache), number, fault)
        elif fault == "full":
            with _full_after(number):
                ended = _error_of(job, path, cache)
        elif fault == "cache damaged":
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
    if cache.is_file():
        cache.unlink()
    again = _error_of(job, path, cache)
    if again != "done" or path.read_bytes() != _wanted(name):
        raise BrokenPromiseError(f"done again, the job ends otherwise: {again}")
    return f"{fault}: {'done' if path.read_bytes() == _wanted(name) and ended == 'done' else ended}"


def _look(folder: Path, path: Path, wanted: bytes, ended: str, *, killed: bool) -> None:
    there = path.read_bytes()
    if there not in (_OLD, wanted):
        raise BrokenPromiseError(f"the file is neither the old one nor the new one: {there[:60]!r}")
    beside = {file.name for file in folder.iterdir()} - {"out", "out.jsonl", "cache"}
    # Who is killed can take nothing away: the unfinished file is named so, and the next run writes over it.
    if beside - ({"out.partial"} if killed else set()):
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


_FAULTS = ["killed", "killed", "interrupted", "interrupted", "full", "full", "cache damaged", "cache is a file"]
_FAULTS += ["no folder", "a folder", "long name", "not writable", "cache locked"]
INPUTS = st.fixed_dictionaries(
    {
        "job": st.sampled_from([*_JOBS, "score"]),
        "fault": st.sampled_from(_FAULTS),
        "number": st.one_of(st.integers(1, 300), st.integers(1, 30_000)),
        "changes": mutations(),
    }
)

if __name__ == "__main__":
    store.BUSY_S = 0.2  # the limit of an input is shorter than a user's patience
    _undisturbed()
    sys.exit(main(Surface("faults", INPUTS, outcome)))
