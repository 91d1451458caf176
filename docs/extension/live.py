"""The pages that `nlgauge` makes of the files in examples/: a report, a gate and a page of trust, to click in the site.

They are made when the site is built, and are not committed. docs/examples.md leads to them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FOLDER = "live"
"""Where the pages lie in the site"""
_LOG = ["--map", "item=id", "--map", "source=passages", "--map", "candidate=answer"]
_METRICS = ["-m", "BERTScore", "-m", "Faithfulness"]
PAGES = {
    "report.html": [
        ["score", "outputs.jsonl", *_METRICS, "--evidence", "-o", "{work}/report.jsonl"],
        ["report", "{work}/report.jsonl", "--outputs", "outputs.jsonl", "-o", "{page}"],
    ],
    "gate.html": [["check", "rag_v2.jsonl", *_LOG, "--grounded", "--against", "rag_v1.jsonl", "-o", "{page}"]],
    "trust.html": [
        ["score", "answers.jsonl", "-m", "Faithfulness", "-m", "Consistency", "-o", "{work}/trust.jsonl"],
        ["trust", "{work}/trust.jsonl", "--ratings", "answers.jsonl", "-o", "{page}"],
    ],
}
"""By the name of a page, the commands that make it in examples/; a gate that fails ends with exit code 1"""


def make(examples: Path, folder: Path) -> None:
    """Write the pages into a folder. Raises ExtensionError for a command that could not do its work."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name, commands in PAGES.items():
            for command in commands:
                words = [word.format(work=work, page=folder / name) for word in command]
                run = [sys.executable, "-m", "nlgauge", *words]
                done = subprocess.run(run, cwd=examples, capture_output=True, text=True, check=False)
                if done.returncode > 1:
                    raise ExtensionError(f"nlgauge {' '.join(words)}: {done.stderr}")


def _finished(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        make(Path(app.srcdir).parent / "examples", Path(app.outdir) / FOLDER)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", _finished)
    return {"parallel_read_safe": True}
