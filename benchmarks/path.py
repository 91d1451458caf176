"""How many of the library's functions one row passes, from the call of `nlgauge.evaluate` to the table.

    python benchmarks/path.py [--list]

A function or method counts once, however often it is called. A comprehension or a lambda is a part of the function that
it stands in (Python 3.12 and later run comprehensions so), and these are counted apart. What runs at an import does not
count: the row is scored once before the count, with the cache off. Exits with 1 where a metric passes more functions
than its limit.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import nlgauge

HOME = str(Path(nlgauge.__file__).parent)
LIMITS = {"BERTScore": 150, "TokenF1": 60, "Faithfulness": 225}
TEXT, OTHER = "A cat sat.", "The cat sat."
_PARTS = ("<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


def passed(spec: str) -> set[CodeType]:
    """Return the functions that the second call passes, comprehensions and lambdas among them."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOME) and code.co_name != "<module>":
            seen.add(code)

    def score() -> None:
        beside = {"sources": [OTHER]} if spec == "Faithfulness" else {"references": [[OTHER]]}
        nlgauge.evaluate(candidates=[TEXT], **beside, metrics=spec, cache=False)

    score()
    sys.setprofile(note)
    try:
        score()
    finally:
        sys.setprofile(None)
    return seen


def main() -> int:
    over = False
    for spec, limit in LIMITS.items():
        every = passed(spec)
        codes = [code for code in every if code.co_name not in _PARTS]
        files = Counter(code.co_filename for code in codes)
        parts = len(every) - len(codes)
        print(f"{spec}: {len(codes)} functions in {len(files)} files (limit {limit}); {parts} comprehensions in them")
        over |= len(codes) > limit
        if "--list" in sys.argv:
            for file, count in sorted(files.items()):
                own = sorted((code for code in codes if code.co_filename == file), key=lambda code: code.co_firstlineno)
                print(f"{count:4} {file.removeprefix(HOME)}: {', '.join(code.co_qualname for code in own)}")
    return int(over)


if __name__ == "__main__":
    raise SystemExit(main())
