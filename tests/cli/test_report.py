"""nlgauge report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import nlgauge, refused
from tests.report_tables import corpus, table

ROWS = corpus()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    scores, outputs = tmp_path / "scores.jsonl", tmp_path / "outputs.jsonl"
    table(ROWS).save(scores)
    records = [
        {"text": row.candidate, **{k: v for k, v in vars(row).items() if k not in ("candidate", "extra")}}
        for row in ROWS
    ]
    outputs.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return scores, outputs


def test_a_page_is_written_and_named(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, outputs = files
    page = tmp_path / "page.html"
    arguments = (
        "--outputs",
        outputs,
        "--map",
        "candidate=text",
        "-o",
        page,
        "--replicates",
        20,
        "--title",
        "Ours & theirs",
    )
    result = nlgauge("report", scores, *arguments)
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
