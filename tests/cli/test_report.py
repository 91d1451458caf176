"""nlgauge report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import nlgauge, refused, written
from tests.report_tables import corpus, table

ROWS = corpus()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    table(ROWS).save(tmp_path / "scores.jsonl")
    records = [
        {"text": row.candidate, **{k: v for k, v in vars(row).items() if k not in ("candidate", "extra")}}
        for row in ROWS
    ]
    return tmp_path / "scores.jsonl", written(tmp_path / "outputs.jsonl", records)


def test_a_page_is_written_and_named(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, outputs = files
    page = tmp_path / "page.html"
    given = ("--outputs", outputs, "--map", "candidate=text", "--replicates", 20)
    result = nlgauge("report", scores, *given, "-o", page, "--title", "Ours & theirs")
    assert (result.exit_code, result.stdout) == (0, f"{page}\n")
    assert result.stderr.startswith(
        "Down: the systems have values on different items (good 24, twin 24, bad 22; all share"
    )
    assert "<h1>Ours &amp; theirs</h1>" in page.read_text(encoding="utf-8")


def test_wrong_use_is_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, _ = files
    refused("report", scores, "-o", tmp_path / "no" / "page.html", say="name a file in a folder that exists")
    refused("report", scores, "-o", tmp_path / "p.html", "--map", "candidate=text", say="give --outputs too")
    refused("report", tmp_path / "none.jsonl", "-o", tmp_path / "p.html", say="cannot be read")
    assert not (tmp_path / "p.html").exists()
