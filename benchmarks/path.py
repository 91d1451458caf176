"""How much of the library one pair passes from the command to the formula and back: its functions and files.

    python benchmarks/path.py [SPEC] [--list]

A function counts once, however often it is called; so does a file. Code that runs when a module is imported does not
count. What is imported is imported, and the pair is scored once, before anything is counted.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import nlgauge
from nlgauge.cli import main

HOME = str(Path(nlgauge.__file__).parent)
_OUTSIDE = ("<module>", "<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


def passed(spec: str) -> set[CodeType]:
    """The functions that `nlgauge score` of one row passes."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOME) and code.co_name not in _OUTSIDE:
            seen.add(code)

    with tempfile.TemporaryDirectory() as folder:
        pair = Path(folder) / "pair.jsonl"
        pair.write_text(json.dumps({"candidate": "A cat sat.", "references": ["The cat sat."]}) + "\n")
        command = ["score", str(pair), "-m", spec, "--no-cache", "--format", "json"]
        with contextlib.redirect_stdout(io.StringIO()):
            _score(command)
            sys.setprofile(note)
            try:
                _score(command)
            finally:
                sys.setprofile(None)
    return seen


def _score(command: list[str]) -> None:
    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        main(command)


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--list"]
    codes = passed(given[0] if given else "BERTScore")
    files = Counter(code.co_filename for code in codes)
    print(f"{len(codes)} functions in {len(files)} files")
    if "--list" in sys.argv:
        for file, count in sorted(files.items()):
            own = [code for code in codes if code.co_filename == file]
            names = [code.co_name for code in sorted(own, key=lambda code: code.co_firstlineno)]
            print(f"{count:4} {file.removeprefix(HOME)}: {', '.join(names)}")
