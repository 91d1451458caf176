"""How time and memory grow with rows, with the length of texts, with references and with systems.

    python benchmarks/growth.py [--only rows,words,references,systems,million] [--write] [--quick] [--output FILE]

Each size of a line runs in a process of its own. A line has processor seconds, and in brackets the largest memory of
the process in MiB while the command ran, including the rows. The exponent is the slope of the logarithm of seconds over
the logarithm of size, between the last two sizes: 1 is linear. `score` is of ROUGE, BLEU and TokenF1 without a cache;
`compare` is of two systems; `report` has ratings of all rows; `check` has a threshold and an earlier run. `million`
scores a million rows from a file by ROUGE, in blocks, to a folder.

--write puts the table between its marks in docs/speed.md.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measuring
from measured_sources import PAGE, begin, end, marked, source_line

import nlgauge
from nlgauge import Corpus, Row, evaluate

METRICS = ["ROUGE", "BLEU", "TokenF1"]
BASE = {"rows": 2_000, "words": 20, "references": 1, "systems": 4}
SIZES: dict[str, tuple[list[int], dict[str, int], tuple[str, ...]]] = {
    "rows": ([1_000, 10_000, 100_000], {}, ("score", "compare", "report", "check")),
    "words": ([20, 200, 1_000, 5_000], {"rows": 200}, ("score",)),
    "references": ([1, 5, 20, 50], {}, ("score",)),
    "systems": ([2, 10, 50], {"rows": 10_000}, ("score", "compare", "report", "check")),
}
"""By what grows: its sizes, the other values that differ from BASE, and the commands"""
MILLION = 1_000_000


def made(rows: int, words: int, references: int, systems: int) -> list[Row]:
    """Return rated rows, no two of which are equal."""
    maker, pick = measuring.TextMaker(1), random.Random(1)
    pool = [maker.words(words) for _ in range(min(500, rows * 2))]

    def text() -> str:
        return f"{pick.choice(pool)} {pick.randrange(10**9)}"

    return [
        Row(
            text(),
            tuple(text() for _ in range(references)),
            system=f"s{n % systems}",
            item=str(n // systems),
            scores={"quality": pick.randint(1, 5)},
        )
        for n in range(rows)
    ]


def measured(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result of a call, its processor seconds, and the largest memory of the process meanwhile, in MiB."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is of what follows
    began = time.process_time()
    result = run()
    return result, time.process_time() - began, measuring.peak_rss() / 2**20


def of_size(size: dict[str, int], commands: list[str]) -> dict[str, list[float]]:
    """Return the seconds and the MiB of each command."""
    corpus = Corpus(tuple(made(**size)))
    evaluate(corpus[:2], metrics=METRICS, cache=False)  # imports
    table, *taken = measured(lambda: evaluate(corpus, metrics=METRICS, cache=False))
    found = {"score": taken}
    earlier = evaluate(corpus, metrics=METRICS, cache=False) if "check" in commands else None
    calls: dict[str, Callable[[], object]] = {
        "compare": lambda: nlgauge.compare(table, "s0", "s1"),
        "report": lambda: nlgauge.report(table, Path(tempfile.mkdtemp()) / "page.html", ratings=corpus),
        "check": lambda: nlgauge.check(table, "TokenF1", at_least=0.1, against=earlier),
    }
    return found | {name: list(measured(calls[name])[1:]) for name in commands if name in calls}


def million(rows: int) -> dict[str, list[float]]:
    """Return the seconds and the MiB of reading and scoring a file with this number of rows."""
    folder = Path(tempfile.mkdtemp())
    file = folder / "rows.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for first in range(0, rows, 10_000):
            for row in made(min(10_000, rows - first), words=20, references=1, systems=4):
                line = {"candidate": row.candidate, "references": list(row.references), "system": row.system}
                lines.write(json.dumps({**line, "item": f"{first}-{row.item}"}) + "\n")

    def run() -> object:
        corpus = Corpus.read(file, on_disk=True)
        return evaluate(corpus, metrics="ROUGE", rows_per_block=8192, output=folder / "scores", cache=False)

    return {"score": list(measured(run)[1:])}


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope between the last two sizes, in logarithms."""
    return math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])


def grown(name: str, quick: bool) -> list[tuple[str, ...]]:
    """Return a line of cells for each command."""
    sizes, others, commands = SIZES[name]
    sizes = [max(size // 10, 2) for size in sizes] if quick else sizes
    found = []
    for size in sizes:
        asked = json.dumps([{**BASE, **others, name: size}, commands])
        found.append(json.loads(measuring.child([__file__, "--one", asked])[0]))
        print(f"  {name} {size:,}: {found[-1]}", flush=True)
    lines = []
    for command in commands:
        taken = [one[command] for one in found]
        cells = [f"{size:,}: {s:.2g} s ({mib:.0f})" for size, (s, mib) in zip(sizes, taken, strict=True)]
        lines.append((name, command, ", ".join(cells), f"{exponent(sizes, [s for s, _ in taken]):.2f}"))
    return lines


def main() -> int:
    parser = measuring.parser(__doc__ or "")
    parser.add_argument(
        "--only", default="rows,words,references,systems,million", help="what grows, with commas between"
    )
    parser.add_argument("--write", action="store_true", help="write the table into docs/speed.md")
    parser.add_argument("--one", help="a size and commands, as JSON: measure them in this process")
    options = parser.parse_args()
    if options.one:
        size, commands = json.loads(options.one)
        print(json.dumps(million(size["rows"]) if commands == ["million"] else of_size(size, commands)))
        return 0
    facts = measuring.machine()
    measuring.print_machine(facts)
    lines: list[tuple[str, ...]] = [("what grows", "command", "size: seconds (MiB)", "exponent")]
    for name in options.only.split(","):
        if name == "million":
            rows = MILLION // 100 if options.quick else MILLION
            asked = json.dumps([{"rows": rows}, ["million"]])
            ((seconds, mib),) = json.loads(measuring.child([__file__, "--one", asked])[0]).values()
            lines.append(("rows on disk", "score, ROUGE alone", f"{rows:,}: {seconds:.3g} s ({mib:.0f})", ""))
        else:
            lines += grown(name, options.quick)
    head, *rest = (f"| {' | '.join(line)} |" for line in lines)
    table = "\n".join([head, "|" + "---|" * len(lines[0]), *rest])
    print(table)
    if options.write:
        about = f"Measured on {datetime.date.today()} by `python benchmarks/growth.py`: {facts['processor']}."
        page = PAGE.read_text(encoding="utf-8")
        before, _, others = page.partition(begin("growth"))
        rest_of_page = others.partition(end("growth"))[2]
        section = f"{begin('growth')}\n\n{about}\n\n{source_line('growth')}\n\n{table}\n\n{end('growth')}"
        PAGE.write_text(marked(before + section + rest_of_page), encoding="utf-8")
    measuring.save(options.output, {"machine": facts, "quick": options.quick, "lines": lines})
    return 0


if __name__ == "__main__":
    sys.exit(main())
