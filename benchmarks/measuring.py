"""Tools that the benchmarks share: texts, interleaved repeats, ratios with their spread, facts about the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.engine.models.onnx import threads

os.environ["NLGAUGE_CACHE"] = "off"  # what is measured is computed, in child processes too

Pair = tuple[str, str]
"""A candidate and its reference"""

_PACKAGES = ("nlgauge", "numpy", "onnxruntime", "tokenizers", "torch", "transformers", "torchmetrics", "openvino")
_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "bf16")


class Spread(NamedTuple):
    """The least, the median and the largest of some repeats."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(min(values), statistics.median(values), max(values))

    def __str__(self) -> str:
        return " - ".join(f"{value:.3g}" for value in self)


def ratios(slow: Sequence[float], fast: Sequence[float]) -> Spread:
    """Return how many times longer `slow` took than `fast`: the ratio of each round."""
    return Spread.of([a / b for a, b in zip(slow, fast, strict=True)])


def interleaved(runs: Mapping[str, Callable[[], object]], repeats: int, warm: bool = True) -> dict[str, list[float]]:
    """Return the seconds of every run in every round. Runs take turns (A B A B ...).

    warm: whether there is a first round that is not counted.
    """
    if warm:
        for run in runs.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - began)
    return seconds


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(flush=True)


def heading(text: str) -> None:
    print(f"\n== {text}", flush=True)


def parser(about: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every script has."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--quick", action="store_true", help="small sizes and few repeats: does it run, not how fast is it"
    )
    made.add_argument("--repeats", type=int, help="rounds of interleaved repeats")
    made.add_argument("--output", type=Path, help="write all figures to this JSON file too")
    return made


def numbers(text: str) -> list[int]:
    """Return '1,2,3' as a list of numbers, for argparse."""
    return [int(part) for part in text.split(",")]


def save(path: Path | None, record: Mapping[str, Any]) -> None:
    """Write the figures to a file, if one is named."""
    if path is not None:
        text = json.dumps(record, indent=2, ensure_ascii=False, default=_plain)
        path.write_text(text + "\n", encoding="utf-8")


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


# The machine


def machine() -> dict[str, Any]:
    """Return the facts that figures depend on: processor, threads, load at the start, versions."""
    facts = cpu_facts()
    return {
        "processor": facts.get("model name", platform.processor() or platform.machine()),
        "flags": [flag for flag in _FLAGS if flag in cpu_flags()],
        "cores": os.cpu_count(),
        "threads": threads(),
        "memory_gib": round(_memory() / 2**30, 1),
        "load_at_start": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := installed_version(name))},
    }


def print_machine(facts: Mapping[str, Any]) -> None:
    heading("machine")
    for name, value in facts.items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        print(f"  {name}: {', '.join(shown) if isinstance(shown, list) else shown}")
    load = facts["load_at_start"]
    if load is not None and load > 0.5:
        print("  Other work is running: trust ratios, not times, and repeat on a quiet machine.")
    sys.stdout.flush()


def cpu_facts() -> dict[str, str]:
    """Return what /proc/cpuinfo says of the first processor; empty if there is no such file."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return {}
    first = path.read_text(encoding="utf-8").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def cpu_flags() -> set[str]:
    facts = cpu_facts()
    return set(facts.get("flags", facts.get("Features", "")).split())


def has_bfloat16() -> bool:
    """Return whether the processor itself multiplies bfloat16. Emulated, it is slower than float32."""
    return bool(cpu_flags() & {"amx_bf16", "avx512_bf16"})


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0


def peak_rss() -> int:
    """Return the largest memory of this process so far, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        match = re.search(r"VmHWM:\s*(\d+) kB", status.read_text(encoding="utf-8"))
        if match:
            return int(match[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def child(arguments: Sequence[str]) -> tuple[str, float]:
    """Run this Python on `arguments`, and return the last line that it printed and the seconds from start to end.

    Compiled modules are written and read, as for an installed package. Otherwise each start would compile nlgauge's
    modules, and never those of the peers.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"a measured process failed:\n{done.stderr.strip()}")
    lines = done.stdout.strip().splitlines()
    return (lines[-1] if lines else ""), seconds


# Installed packages


def installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def installed_bytes(name: str) -> int:
    """Return the size in bytes of the files that an installed package lists, without compiled caches."""
    files = [file for file in distribution(name).files or [] if file.suffix != ".pyc"]
    return sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())


def requirements(name: str) -> set[str]:
    """Return the names of a package and of the installed packages that it needs, without those of its extras."""
    found: set[str] = set()
    open_ends = [name]
    while open_ends:
        at = open_ends.pop()
        if at in found or installed_version(at) is None:
            continue
        found.add(at)
        for line in distribution(at).requires or []:
            match = re.match(r"[A-Za-z0-9._-]+", line)
            if match and not re.search(r";.*\bextra\b", line):
                open_ends.append(re.sub(r"[-_.]+", "-", match[0]).lower())
    return found


# Texts


def _listed(text: str) -> list[str]:
    return text.split(",")


_PEOPLE = _listed(
    "the mayor,a young engineer,the old fisherman,the city council,a group of students,the head nurse,two brothers,"
    "the night guard,a local farmer,the new director,the museum,a retired judge,the orchestra,the small company,"
    "a team of doctors,the school board,the railway,a famous chef,the port authority,the rescue crew"
)
_ACTS = _listed(
    "opened,repaired,rejected,described,closed,sold,painted,measured,praised,postponed,inspected,rebuilt,lost,"
    "found,discussed,moved,saved,doubled,announced,cancelled"
)
_THINGS = _listed(
    "the stone bridge,a plan for cheaper trains,the winter market,an early map of the coast,the flooded road,"
    "a collection of rare birds,the public library,a new kind of battery,the annual budget,the broken clock,"
    "a large wooden ship,the water supply,a letter from the ministry,the football stadium,an unusual recipe,"
    "the northern border,a field of wheat,the electric ferry,three empty houses,the last concert of the season"
)
_WHEN = _listed(
    "last week,in the early morning,after a long debate,before the summer,during the storm,on Tuesday,in 1987,"
    "for the second time,without any warning,at the end of March,despite the heavy rain,to everyone's surprise"
)
_PLACES = _listed(
    "near the harbour,in the old town,on the island,outside the capital,behind the station,across the valley,"
    "along the river,in a quiet suburb,at the foot of the mountain,close to the airport"
)
_REASONS = _listed(
    "because the costs had risen sharply,although nobody had asked for it,so that children could use it safely,"
    "while hundreds of people watched,and the work took almost two years,but the results were never published,"
    "since the insurance refused to pay,which made many neighbours angry,and visitors came from far away"
)


class TextMaker:
    """A maker of English-looking texts from word lists and a seed. The same seed gives the same texts everywhere."""

    def __init__(self, seed: int = 20) -> None:
        self._random = random.Random(seed)

    def clauses(self, number: int) -> list[str]:
        pick = self._random.choice
        parts: list[str] = []
        while len(parts) < number:
            who = f"{pick(_PEOPLE)} {pick(_ACTS)} {pick(_THINGS)}"
            parts += [who, f"{pick(_PLACES)} {pick(_WHEN)}", pick(_REASONS)]
        return parts[:number]

    def text(self, clauses: Sequence[str]) -> str:
        """Return a text in which each sentence has three clauses: who did what, where and when, why."""
        sentences = [" ".join(clauses[at : at + 3]) for at in range(0, len(clauses), 3)]
        return " ".join(sentence[0].upper() + sentence[1:] + "." for sentence in sentences)

    def pair(self, clauses: int) -> Pair:
        """Return (candidate, reference). The candidate has between nothing and all of the reference."""
        reference = self.clauses(clauses)
        other = self.clauses(clauses)
        keep = self._random.random()
        candidate = [a if self._random.random() < keep else b for a, b in zip(reference, other, strict=True)]
        candidate[0] = other[0] if candidate == reference else candidate[0]
        return self.text(candidate), self.text(reference)

    def short(self, number: int) -> list[Pair]:
        """Return pairs of texts with about 26 sub-words each, from 17 to 38."""
        return [self.pair(self._random.choice((3, 4))) for _ in range(number)]

    def summaries(self, number: int) -> list[Pair]:
        """Return pairs of texts with about 76 sub-words each, from 57 to 99."""
        return [self.pair(self._random.randint(9, 12)) for _ in range(number)]

    def tiny(self, number: int) -> list[Pair]:
        """Return pairs of texts with about 7 sub-words each. Each has a number, so no two are equal."""
        return [(self._numbered(2 * at), self._numbered(2 * at + 1)) for at in range(number)]

    def _numbered(self, number: int) -> str:
        return f"{self._random.choice(_PEOPLE)} {self._random.choice(_ACTS)} {number} things"

    def words(self, number: int) -> str:
        """Return a text with a given number of words."""
        return " ".join(self.text(self.clauses(number)).split()[:number])


def read_pairs(path: Path) -> list[Pair]:
    """Return the candidate and the first reference of each row, from any file that nlgauge reads."""
    return [(row.candidate, row.references[0]) for row in Corpus.read(path) if row.references]


def corpus_of(pairs: Sequence[Pair]) -> Corpus:
    return Corpus.from_texts([candidate for candidate, _ in pairs], [[reference] for _, reference in pairs])


# Agreement


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Pearson's correlation; NaN for fewer than two values, or if one side does not vary."""
    return float(np.corrcoef(a, b)[0, 1]) if min(len(set(a)), len(set(b))) > 1 else float("nan")


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    return pearson(_ranks(a), _ranks(b))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value. Equal values share the mean of their ranks."""
    array = np.asarray(values, dtype=np.float64)
    return [float((array < value).sum() + ((array == value).sum() - 1) / 2) for value in array]


def show_by_model(tables: Mapping[str, list[str]], page: Path, region: str, write: bool) -> None:
    """Print the Markdown table of each model. With `write`, also put all of them between the comments of a page."""
    from nlgauge_lab.reproduce.markdown import write_region

    lines = [line for model, table in tables.items() for line in ("", f"By `{model}`:", "", *table)][1:]
    print("\n".join(lines))
    if write:
        write_region(page, region, lines)
