"""The source that each table of docs/speed.md measured, to tell where a table is older than the code.

    python benchmarks/measured_sources.py

Each table has the digest of the code that it measured: of files, without docstrings and comments. If that code has
changed since, the command writes a sentence above the table that says so. `python benchmarks/speed.py --only SECTION
--write` measures a section again, and `python benchmarks/growth.py --write` measures the section of growth.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from io import StringIO
from pathlib import Path
from tokenize import COMMENT, generate_tokens

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "speed.md"
_METRIC = ("contract/base.py", "evaluation.py", "metrics/references.py", "run/*.py")
SOURCES = {
    "strings": (
        *_METRIC,
        "data/corpus/corpus.py",
        "data/corpus/row.py",
        "maths/shifts.py",
        "maths/text.py",
        "maths/totals.py",
        "metrics/meteor.py",
        "metrics/rouge.py",
        "metrics/translation.py",
    ),
    "models": (
        *_METRIC,
        "engine/**/*.py",
        "maths/alignment.py",
        "maths/divergences.py",
        "metrics/bertscore.py",
        "metrics/infolm.py",
    ),
    "formulas": ("maths/transport.py", "metrics/frechet_distance.py"),
    "start": ("__init__.py", "_plugins.py", "registry.py", "data/source_digest.py", "run/cache.py"),
    "growth": (
        *_METRIC,
        "answers/*.py",
        "data/corpus/*.py",
        "data/table/*.py",
        "gate/check.py",
        "ratings/*.py",
        "reports/page/*.py",
        "stats/*.py",
    ),
    "runtimes": ("engine/models/onnx.py", "engine/models/openvino.py", "engine/models/loading.py"),
}
"""By section of the page, the files of src/nlgauge whose changes may change its figures"""
OLDER = "**These figures are older than the code that they measured.**"
_RECORDED = re.compile(r"^Source: `([0-9a-f]{12}|unknown)`\.$", re.MULTILINE)


def files(section: str, root: Path = ROOT) -> list[Path]:
    """Return the files that a section measures. Raises ValueError where a name of SOURCES is no file."""
    found: set[Path] = set()
    for name in SOURCES[section]:
        some = set((root / "src" / "nlgauge").glob(name))
        if not some:
            raise ValueError(f"{section}: there is no {name}")
        found |= some
    return sorted(found)


def digest(section: str, root: Path = ROOT) -> str:
    """Return the digest of the names and the code of a section's files."""
    whole = blake2b(digest_size=6)
    for file in files(section, root):
        content = code(file.read_text(encoding="utf-8")).encode()
        whole.update(f"{file.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return whole.hexdigest()


@cache
def code(source: str) -> str:
    """Return the lines of a Python file without docstrings, other strings that stand alone, comments and empty lines.

    The lines are taken from the text, because trees and tokens differ between versions of Python.
    """
    texts = source.split("\n")
    lines = [text.encode() for text in texts]
    gaps: list[tuple[int, int, int]] = []  # the number of a line from 0, and bytes of it that are no code
    for token in generate_tokens(StringIO(source).readline):
        if token.type == COMMENT:
            row, column = token.start
            gaps.append((row - 1, len(texts[row - 1][:column].encode()), len(lines[row - 1])))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            for row in range(first, last + 1):
                begins = node.col_offset if row == first else 0
                gaps.append((row, begins, node.end_col_offset or 0 if row == last else len(lines[row])))
    for row, begins, ends in sorted(gaps, reverse=True):
        lines[row] = lines[row][:begins] + lines[row][ends:]
    return "".join(f"{line.decode().rstrip()}\n" for line in lines if line.strip())


def source_line(section: str) -> str:
    """Return the line with the digest for a table that is measured now."""
    return f"Source: `{digest(section)}`."


def begin(name: str) -> str:
    """Return the mark at the beginning of a section, which names the command that writes the section."""
    return f"<!-- {name}: written by benchmarks/{'growth' if name == 'growth' else 'speed'}.py -->"


def end(name: str) -> str:
    """Return the mark at the end of a section."""
    return f"<!-- end of {name} -->"


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each section between its marks."""
    for name in SOURCES:
        if page.count(begin(name)) != 1 or page.count(end(name)) != 1:
            raise ValueError(f"the page has no marks of {name}")
        yield name, page.partition(begin(name))[2].partition(end(name))[0]


def is_older(name: str, section: str, root: Path = ROOT) -> bool:
    """Return whether the source has changed since a section was measured.

    Raises:
        ValueError: the section does not name its source.
    """
    found = _RECORDED.findall(section)
    if len(found) != 1:
        raise ValueError(f"{name} has no line Source: `DIGEST`.")
    return bool(found[0] != digest(name, root))


def marked(page: str, root: Path = ROOT) -> str:
    """Return the page with a sentence in each section that is older than its code, and in no other section."""
    for name, section in sections(page):
        plain = section.replace(f"{OLDER}\n\n", "")
        if is_older(name, section, root):
            plain = _RECORDED.sub(lambda found: f"{OLDER}\n\n{found[0]}", plain)
        page = page.replace(section, plain)
    return page


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(marked(page), encoding="utf-8")
    for name, section in sections(page):
        print(f"{name}: {'older than its code' if is_older(name, section) else 'of this code'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
