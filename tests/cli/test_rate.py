"""nlgauge rate: a card of a scorer, a board of cards, and what is asked wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.command import nlgauge, refused


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    folder = tmp_path / "sets"
    folder.mkdir()
    rng = np.random.default_rng(0)
    words = ["red", "old", "tall", "blue", "wet", "dry", "new", "hot"]
    rows = []
    for number in range(60):
        kept = int(rng.integers(0, 9))
        candidate = " ".join([*words[:kept], *["other"] * (8 - kept)])
        rows.append(
            {
                "item": f"i{number}",
                "candidate": candidate,
                "references": [" ".join(words)],
                "judge": kept / 8,
                "scores": {"fine": int(kept + rng.normal() > 4)},
            }
        )
    (folder / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    bare = [{name: value for name, value in row.items() if name != "scores"} for row in rows]
    (folder / "bare.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    return folder


def test_cards_and_their_board(sets: Path, tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    cards.mkdir()
    first = nlgauge("rate", "TokenF1", "--sets", sets, "-o", cards / "f1.json", "--no-cache", "--replicates", 50)
    assert first.exit_code == 0, first.stderr
    assert "bare: no row is rated, so it was not scored" in first.stderr
    record = json.loads((cards / "f1.json").read_text(encoding="utf-8"))
    (one,) = record["sets"]
    assert (one["set"], one["aspect"], one["measure"], one["rows"]) == ("own", "fine", "AUROC", 60)
    assert record["cost"]["rows"] > 60 and record["trained_on"] is None and record["probes"]
    judged = nlgauge(
        "rate",
        "Column('judge')",
        "--sets",
        sets,
        "-o",
        cards / "judge.json",
        "--trained-on",
        "own",
        "--no-cache",
        "--replicates",
        50,
    )
    assert judged.exit_code == 0 and "probes: not scored" in judged.stderr
    made = nlgauge("rate", "--board", cards, "-o", tmp_path / "board.html", "--format", "json")
    assert made.exit_code == 0, made.stderr
    board = json.loads(made.stdout)
    assert {line["scorer"]: line["trained"] for line in board["board"]} == {
        "TokenF1 f1": False,
        "Column('judge')": True,
    }
    assert all(line["cluster"] == 1 for line in board["board"])
    assert "may have been trained on it" in (tmp_path / "board.html").read_text(encoding="utf-8")


def test_rows_without_a_score_are_counted(sets: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (sets / "own.jsonl").read_text(encoding="utf-8").splitlines()]
    lacking = [{**row, "judge": None if n < 7 else row["judge"]} for n, row in enumerate(rows)]
    (sets / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lacking), encoding="utf-8")
    cards = tmp_path / "cards"
    cards.mkdir()
    for name, spec in (("a", "Column('judge')"), ("b", "Length")):
        done = nlgauge("rate", spec, "--sets", sets, "-o", cards / f"{name}.json", "--no-cache", "--no-probes")
        assert done.exit_code == 0 and ("without a score" in done.stdout) == (name == "a")
    made = nlgauge("rate", "--board", cards, "-o", tmp_path / "board.html")
    assert made.exit_code == 0 and "without a score" in made.stdout
    assert "own, fine: 7 of 60 rated rows have no score by Column('judge')" in made.stderr
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert '<td data-head="without a score" class="num"><span>7</span></td>' in page


def test_what_is_asked_wrongly(sets: Path, tmp_path: Path) -> None:
    refused("rate", "TokenF1", say="give a SCORER and --sets FOLDER for a card, or --board FOLDER")
    refused("rate", "--board", sets, "--sets", sets, say="leave SCORER and --sets out")
    refused("rate", "TokenF1", "--sets", tmp_path, say="holds no rows")
    refused("rate", "TokenF1", "--sets", tmp_path / "none", say="cannot be read")
    refused("rate", "Column('none')", "--sets", sets, "--no-cache", say="no set was rated")
    refused("rate", "--board", tmp_path, say="a board needs two cards")
