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


def test_what_a_reader_has_to_know_is_on_stderr(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, outputs = files
    outputs.write_text("".join(outputs.read_text().splitlines(keepends=True)[1:]))
    result = nlgauge("report", scores, "--outputs", outputs, "--map", "candidate=text", "-o", tmp_path / "p.html")
    assert "1 of 72 rows have no text in the outputs." in result.stderr


def test_wrong_use_is_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, _ = files
    refused("report", scores, "-o", tmp_path / "no" / "page.html", say="name a file in a folder that exists")
    refused("report", scores, "-o", tmp_path / "p.html", "--map", "candidate=text", say="give --outputs too")
    refused("report", tmp_path / "none.jsonl", "-o", tmp_path / "p.html", say="cannot be read")
    assert not (tmp_path / "p.html").exists()


def test_text_files_that_were_scored_are_shown_too(tmp_path: Path) -> None:
    """Files of two systems go to report as they went to score, and their texts stand on the page."""
    texts = {"a.txt": "The bridge opened.\nRain fell.\n", "b.txt": "A bridge was closed.\nIt rained.\n"}
    texts["ref.txt"] = "The bridge was opened.\nIt rained.\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = {"--candidates": ("a.txt", "b.txt"), "--references": ("ref.txt",)}
    given = [part for option, names in files.items() for name in names for part in (option, tmp_path / name)]
    scores, page = tmp_path / "scores.jsonl", tmp_path / "page.html"
    assert nlgauge("score", *given, "-m", "TokenF1", "-o", scores).exit_code == 0
    result = nlgauge("report", scores, *given, "-o", page, "--replicates", 20)
    assert (result.exit_code, result.stderr) == (0, "")
    assert all(text in page.read_text(encoding="utf-8") for text in ("A bridge was closed.", "The bridge was opened."))
    refused("report", scores, "-o", page, "--references", tmp_path / "ref.txt", say="--candidates with a text file")
    refused("report", scores, *given, "-o", page, "--outputs", "x.jsonl", say="beside --candidates")
