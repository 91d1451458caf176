"""What a user waits for and downloads before the first score: import, first score, size of a base install.

    python benchmarks/startup.py [--skip-install] [--quick] [--output FILE]

import   Seconds of whole new processes, which take turns: a bare interpreter (the limit), `import numpy`,
         `import nlgauge`, and `from nlgauge import evaluate` with everything that it imports. nlgauge should be as near
         to the bare interpreter as possible.
first    Seconds from starting Python to the first InfoLM score, in turn with torchmetrics on the same weights if it is
         installed. "10 - 12 - 13" is the least, the median and the largest ratio of the rounds.
bleu     The command `nlgauge score` with BLEU of one row, in turn with sacrebleu's own command, and with the imports
         that the row needs: numpy, click and sacrebleu.
install  This repository without extras in a new virtual environment: packages and bytes that are installed. Compiled
         caches are left out. pip downloads what it has not cached, so this section needs a package index. For
         comparison, the packages that torchmetrics' InfoLM needs, counted if they are installed in this environment.

The first lines printed are the facts about the machine. Files are in the page cache after the first round, which is not
counted. The first start after a boot is slower for all.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import measuring
from measuring import Spread, heading, interleaved, ratios, table

from nlgauge.engine.models import loading
from nlgauge.engine.models.folder import write_hugging_face

IMPORTS = {
    "bare interpreter": "pass",
    "import numpy": "import numpy",
    "import nlgauge": "import nlgauge",
    "from nlgauge import evaluate": "from nlgauge import evaluate",
}
PAIR = ("A cat sat on the old wall.", "The cat was sitting on a wall.")
OURS = f"""
import nlgauge
table = nlgauge.evaluate(candidates=[{PAIR[0]!r}], references=[[{PAIR[1]!r}]], metrics="InfoLM")
print(table.values("InfoLM")[0])
"""
PEER = f"""
import sys
from torchmetrics.functional.text.infolm import infolm
print(infolm([{PAIR[0]!r}], [{PAIR[1]!r}], sys.argv[1], information_measure="fisher_rao_distance", idf=False,
      temperature=1.0, max_length=512, verbose=False))
"""
PEER_PACKAGES = ("torchmetrics", "transformers")


def imports(repeats: int) -> dict[str, Any]:
    """Return the seconds of whole processes, which take turns."""
    heading("import: whole new processes in turn, seconds")
    seconds = _processes({name: ["-c", code] for name, code in IMPORTS.items()}, repeats)
    bare = seconds["bare interpreter"]
    rows = []
    for name, taken in seconds.items():
        more = Spread.of([1000 * (a - b) for a, b in zip(taken, bare, strict=True)])
        rows.append((name, Spread.of(taken), more, ratios(taken, bare)))
    table(("process", "seconds", "ms more than bare", "x bare"), rows)
    return {"seconds": seconds, "slowest_modules": slowest_modules()}


def slowest_modules(most: int = 8) -> list[tuple[str, float]]:
    """Return the modules that take the most time of `from nlgauge import evaluate`, in milliseconds.

    The time of a module is without its own imports.
    """
    command = [sys.executable, "-X", "importtime", "-c", IMPORTS["from nlgauge import evaluate"]]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    modules = sorted(_module_times(lines), key=lambda module: -module[1])[:most]
    print("  Dearest modules of `from nlgauge import evaluate`, by themselves (ms):")
    print("  " + ", ".join(f"{name} {own:.0f}" for name, own in modules), flush=True)
    return modules


def _module_times(lines: list[str]) -> Iterator[tuple[str, float]]:
    for line in lines:
        own, _, rest = line.removeprefix("import time:").partition("|")
        if own.strip().isdigit():
            yield rest.split("|")[1].strip(), int(own) / 1000


def first(repeats: int) -> dict[str, Any]:
    """Return the seconds from the start of Python to the first score."""
    heading("first: from starting Python to the first InfoLM score, seconds")
    with tempfile.TemporaryDirectory() as place:
        processes = {"bare interpreter": ["-c", "pass"], "nlgauge": ["-c", OURS]}
        if all(map(measuring.installed_version, ("torch", *PEER_PACKAGES))):
            write_hugging_face(loading.pocket_folder(), Path(place) / "pocket")
            processes["torchmetrics"] = ["-c", PEER, str(Path(place) / "pocket")]
        else:
            print("  torchmetrics left out: not installed (pip install torchmetrics 'nlgauge[torch]')")
        seconds = _processes(processes, repeats)
    rows = [(name, Spread.of(taken), ratios(taken, seconds["nlgauge"])) for name, taken in seconds.items()]
    table(("process", "seconds", "x nlgauge"), rows)
    return seconds


def bleu(repeats: int) -> dict[str, Any]:
    """Return the seconds from the start of the command to the BLEU of one row."""
    heading("bleu: the whole command for the BLEU of one row, seconds")
    if measuring.installed_version("sacrebleu") is None:
        print("  left out: sacrebleu is not installed")
        return {}
    with tempfile.TemporaryDirectory() as place:
        ours, theirs = Path(place) / "candidate.txt", Path(place) / "reference.txt"
        ours.write_text(PAIR[0] + "\n", encoding="utf-8")
        theirs.write_text(PAIR[1] + "\n", encoding="utf-8")
        score = ["--candidates", str(ours), "--references", str(theirs), "-m", "BLEU", "--no-cache"]
        processes = {
            "sacrebleu": ["-m", "sacrebleu", str(theirs), "-i", str(ours), "-m", "bleu"],
            "nlgauge": ["-m", "nlgauge", "score", *score],
            "imports": ["-c", "import numpy, click, sacrebleu.metrics"],
        }
        seconds = _processes(processes, repeats)
    rows = [(name, Spread.of(taken), ratios(taken, seconds["sacrebleu"])) for name, taken in seconds.items()]
    table(("process", "seconds", "x sacrebleu"), rows)
    return seconds


def _processes(processes: dict[str, list[str]], repeats: int) -> dict[str, list[float]]:
    runs: dict[str, Callable[[], object]] = {
        name: partial(measuring.child, arguments) for name, arguments in processes.items()
    }
    return interleaved(runs, repeats)


def install() -> dict[str, Any]:
    """Return packages and bytes of a base install, and those that torchmetrics' InfoLM needs."""
    heading("install: packages and their files, MB")
    with tempfile.TemporaryDirectory() as place:
        sizes = _installed(Path(place) / "venv")
    found: dict[str, dict[str, int]] = {"nlgauge": sizes}
    if all(map(measuring.installed_version, PEER_PACKAGES)):
        names = set().union(*map(measuring.requirements, PEER_PACKAGES))
        found["torchmetrics"] = {name: measuring.installed_bytes(name) for name in names}
    rows = []
    for name, parts in found.items():
        largest = sorted(parts, key=lambda part: -parts[part])[:6]
        shown = ", ".join(f"{part} {parts[part] / 1e6:.0f}" for part in largest)
        rows.append((name, len(parts), f"{sum(parts.values()) / 1e6:.0f}", shown))
    table(("install", "packages", "MB", "largest"), rows)
    print("  Ours: " + ", ".join(sorted(sizes)))
    return found


def _installed(venv: Path) -> dict[str, int]:
    """Return the bytes of each package in a new environment, after this repository was installed without extras."""
    home = Path(__file__).resolve().parents[1]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = next(path for path in (venv / "bin" / "python", venv / "Scripts" / "python.exe") if path.exists())
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile", str(home)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip could not install the repository:\n{done.stderr.strip()}")
    code = (
        "import importlib.metadata as m\n"
        "for d in m.distributions():\n"
        "    size = sum(p.locate().stat().st_size for p in d.files or [] if p.locate().is_file())\n"
        "    print(d.name.lower(), size)"
    )
    listed = subprocess.run([str(python), "-I", "-B", "-c", code], capture_output=True, text=True, check=True).stdout
    return {name: int(size) for name, size in (line.split() for line in listed.splitlines())}


def main() -> int:
    made = measuring.parser(__doc__ or "")
    made.add_argument("--skip-install", action="store_true", help="no new environment, so no package index is needed")
    options = made.parse_args()
    repeats = options.repeats or (2 if options.quick else 15)
    facts = measuring.machine()
    measuring.print_machine(facts)
    found: dict[str, Any] = {"imports": imports(repeats), "first": first(max(2, repeats // 2))}
    found["bleu"] = bleu(repeats)
    if not options.skip_install:
        found["install"] = install()
    measuring.save(options.output, {"machine": facts, "quick": options.quick, **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
