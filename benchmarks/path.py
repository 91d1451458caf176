"""Length of the path of one call through the library: functions, files, changes of package, and depth.

    python benchmarks/path.py [--list]

A function or method counts once, however often it is called. A comprehension or a lambda is a part of the function
around it (as Python 3.12 and later run comprehensions), and these parts are counted separately. A change of package is
a call of a function by a function of another package, such as one of `engine` by one of `run`. Each call counts. The
depth is the largest number of the library's functions that are running at once.

Code that runs at an import does not count, because each call is made once before the count. There is no cache. The exit
code is 1 if a path is longer than its limit (`LIMITS`). A test checks the limits too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

from click.testing import CliRunner

import nlgauge
from nlgauge import cli

HOME = str(Path(nlgauge.__file__).parent)
EXAMPLES = Path(__file__).parents[1] / "examples"
TEXT, OTHER = "A cat sat.", "The cat sat."
_PARTS = ("<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


class Limit(NamedTuple):
    """The limits for the path of a call, a few per cent above its present numbers."""

    functions: int
    changes: int
    depth: int


LIMITS = {
    "BERTScore": Limit(138, 49, 17),
    "TokenF1": Limit(64, 24, 12),
    "Consistency(aligner='D')": Limit(179, 47, 17),
    "Faithfulness": Limit(219, 66, 19),
    "check --grounded": Limit(340, 224, 22),
    "trust": Limit(296, 294, 19),
}


class Passed(NamedTuple):
    """The path of one call."""

    functions: frozenset[CodeType]
    parts: int
    """Number of comprehensions and lambdas in the functions"""
    changes: int
    """Number of changes of package"""
    depth: int

    @property
    def files(self) -> Counter[str]:
        """By file, how many of the functions are in it."""
        return Counter(code.co_filename for code in self.functions)

    def over(self, limit: Limit) -> bool:
        """Return whether the path is longer than its limit."""
        return len(self.functions) > limit.functions or self.changes > limit.changes or self.depth > limit.depth


def _ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(HOME) and frame.f_code.co_name != "<module>"


def _package(code: CodeType) -> str:
    return Path(code.co_filename).relative_to(HOME).parts[0]


def passed(call: Callable[[], object]) -> Passed:
    """Return the path of the second of two equal calls."""
    seen: set[CodeType] = set()
    changes = depth = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal changes, depth
        if event != "call" or not _ours(frame):
            return
        under_way, at = [], frame
        while at is not None:
            under_way += [at.f_code] if _ours(at) else []
            at = at.f_back
        seen.add(frame.f_code)
        changes += len(under_way) > 1 and _package(under_way[0]) != _package(under_way[1])
        depth = max(depth, sum(code.co_name not in _PARTS for code in under_way))

    call()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    functions = frozenset(code for code in seen if code.co_name not in _PARTS)
    return Passed(functions, len(seen) - len(functions), changes, depth)


def calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the measured calls, by name. folder: for the files of the commands."""
    table = partial(nlgauge.evaluate, candidates=[TEXT], cache=False)
    made: dict[str, Callable[[], object]] = {
        metric: partial(table, references=[[OTHER]], metrics=metric) for metric in ("BERTScore", "TokenF1")
    }
    made |= {
        metric: partial(table, sources=[OTHER], metrics=metric)
        for metric in LIMITS
        if metric.startswith(("Consistency", "Faithfulness"))
    }
    rows, scores = folder / "rows.jsonl", folder / "scores.jsonl"
    texts = (TEXT, "The cat ran.", "A dog slept.")
    rows.write_text("".join(json.dumps({"candidate": text, "source": OTHER}) + "\n" for text in texts))
    nlgauge.evaluate(nlgauge.Corpus.read(EXAMPLES / "outputs.jsonl"), metrics="TokenF1", cache=False).save(scores)
    made["check --grounded"] = partial(_command, "check", rows, "--grounded", "--no-cache")
    made["trust"] = partial(_command, "trust", scores, "--ratings", EXAMPLES / "rated.jsonl")
    return made


def _command(*arguments: object) -> None:
    result = CliRunner().invoke(cli.main, [str(argument) for argument in arguments])
    if result.exit_code not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, arguments))}: {result.output}")


def main() -> int:
    over = False
    with tempfile.TemporaryDirectory() as folder:
        measured = {name: passed(call) for name, call in calls(Path(folder)).items()}
    for name, one in measured.items():
        limit, files = LIMITS[name], one.files
        over |= one.over(limit)
        print(
            f"{name}: {len(one.functions)} functions (limit {limit.functions}) in {len(files)} files, {one.changes} "
            f"changes of package ({limit.changes}), depth {one.depth} ({limit.depth}); {one.parts} comprehensions"
        )
        for file, count in sorted(files.items()) if "--list" in sys.argv else ():
            own = sorted((code for code in one.functions if code.co_filename == file), key=lambda c: c.co_firstlineno)
            print(f"{count:4} {file.removeprefix(HOME)}: {', '.join(code.co_qualname for code in own)}")
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
