"""Folders of results: each file that was changed, added or is missing is named, and changed scores are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.gate.sealed_folder import sealed_folder
from nlgauge.gate.verify import verify
from nlgauge.ratings.project import RatingProject
from tests.command import nlgauge as command
from tests.command import written
from tests.data.test_seal import flips
from tests.ratings.projects import cells_of, fill, project
from tests.ratings.projects import written as as_csv

ROWS = [{"item": f"i{n}", "candidate": f"The bridge opened in 19{n}0.", "references": ["x"]} for n in range(3, 9)]
BLOCK = "rows-000000000002.parquet"
PLAN = ["_plan.json", *(f"rows-{first:012d}.parquet" for first in (0, 2, 4))]


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    return scored(tmp_path / "scores")


def scored(place: Path) -> Path:
    nlgauge.evaluate(Corpus.from_records(ROWS), metrics=["TokenF1"], cache=False, output=place, rows_per_block=2)
    return place


def states(place: Path) -> dict[str, str]:
    return {file.name: file.state for file in verify(place).contents}


def test_a_folder_of_scores_as_it_was_written(blocks: Path) -> None:
    found = verify(blocks, Corpus.from_records(ROWS))
    assert (found.kind, found.ruling, found.changes) == ("folder of scores", "fits", ())
    assert states(blocks) == dict.fromkeys(PLAN, "as written")
    assert ScoreTable.load(blocks).seal
    (blocks / ".lock").touch()
    assert verify(blocks) == verify(blocks) and verify(blocks).digest == found.digest, "hidden files do not count"
    other = verify(blocks, Corpus.from_records([{**ROWS[0], "candidate": "No."}, *ROWS[1:]]))
    assert other.changes == ("the outputs have other texts in row 1",)


def test_missing_added_and_changed_files_are_named_and_refused(blocks: Path) -> None:
    whole = (blocks / BLOCK).read_bytes()
    for at in range(0, len(whole), 41):
        (blocks / BLOCK).write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        assert verify(blocks).changes == (f"{BLOCK}, which was changed",)
        with pytest.raises(InputError, match=f"{BLOCK} was changed after it was written.*nlgauge verify"):
            ScoreTable.load(blocks)
    (blocks / BLOCK).unlink()
    (blocks / "rows-000000000006.parquet").write_bytes(whole)
    (blocks / "more").mkdir()
    assert verify(blocks).changes == (
        f"{BLOCK}, which is missing",
        "more, which was added",
        "rows-000000000006.parquet, which was added",
    )
    with pytest.raises(InputError, match=r"rows-000000000006\.parquet was changed"):
        ScoreTable.load(blocks)
    done = command("verify", str(blocks))
    assert done.exit_code == 1 and f"{'-' * 64}  {BLOCK} (missing)" in done.stdout


def test_each_changed_digit_of_the_header_is_found(blocks: Path) -> None:
    path = blocks / "_header.json"
    text = path.read_text(encoding="utf-8")
    for at, other in flips(text):
        path.write_text(other, encoding="utf-8")
        assert verify(blocks).ruling == "changed", text[max(0, at - 30) : at + 10]
        with pytest.raises(InputError):
            ScoreTable.load(blocks)
    for cut in range(0, len(text) - 1, 37):
        path.write_text(text[:cut], encoding="utf-8")
        with pytest.raises(InputError, match="was cut off"):
            verify(blocks)
        with pytest.raises(InputError):
            ScoreTable.load(blocks)


def test_a_run_on_a_changed_folder_writes_what_it_would_have_written(blocks: Path) -> None:
    before, table = {file.name: file.digest for file in verify(blocks).contents}, ScoreTable.load(blocks)
    other = scored(blocks.parent / "other")
    for change in (lambda: (blocks / BLOCK).write_bytes((other / PLAN[1]).read_bytes()), (blocks / BLOCK).unlink):
        change()
        assert ScoreTable.load(scored(blocks)) == table
        assert {file.name: file.digest for file in verify(blocks).contents} == before
    header = json.loads((blocks / "_header.json").read_text(encoding="utf-8"))
    header["files"][BLOCK] = "0" * 64
    (blocks / "_header.json").write_text(json.dumps(header), encoding="utf-8")
    assert ScoreTable.load(scored(blocks)) == table and verify(blocks).ruling == "fits"


def test_folders_without_a_seal_are_read_and_told_of(blocks: Path, tmp_path: Path) -> None:
    path = blocks / "_header.json"
    header = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({name: of for name, of in header.items() if name not in ("seal", "files")}))
    assert ScoreTable.load(blocks).seal == "" and verify(blocks).ruling == "no seal"
    assert set(states(blocks).values()) == {"not known"}
    told = command("report", str(blocks), "-o", str(tmp_path / "report.html"))
    assert told.exit_code == 0 and "has no seal" in told.stderr
    path.unlink()
    with pytest.raises(InputError, match="has not ended"):
        verify(blocks)
    with pytest.raises(InputError, match="is not a folder of scores"):
        (tmp_path / "empty").mkdir()
        verify(tmp_path / "empty")


def test_a_rating_project_may_be_filled_and_not_changed(tmp_path: Path) -> None:
    place = tmp_path / "p"
    made = project(place, Corpus.from_records(ROWS), 4)
    found = verify(place)
    assert (found.kind, found.ruling) == ("rating project", "fits")
    written_as = {"sheet.csv": "as written", "sheet.html": "as written", "guideline.md": "as written"}
    assert states(place) == written_as
    fill(place, lambda row: "1")
    (place / "guideline.md").write_text("# Ours\n", encoding="utf-8")
    fill(place, lambda row: "0", name="sheet-anna.csv")
    saved = [
        {"item": row.name, "digest": made.digest(row.name or ""), "scores": {"good": 1}} for row in made.draw.sheet
    ]
    written(place / "ratings-bob.jsonl", saved)
    filled = verify(place)
    names = {"sheet.csv": "rated", "sheet-anna.csv": "rated", "ratings-bob.jsonl": "rated", "guideline.md": "edited"}
    assert filled.ruling == "fits" and states(place) == {**written_as, **names}
    assert filled.digest != found.digest, "a rating that is changed later on is seen by the digest of the folder"
    fill(place, lambda row: "1", name="sheet-anna.csv")
    assert verify(place).ruling == "fits" and verify(place).digest != filled.digest
    lines = cells_of(place / "sheet.csv")
    (place / "sheet-carl.csv").write_text(as_csv([{**lines[0], "candidate": "The bridge fell."}, *lines[1:]]))
    (place / "notes.txt").write_text("x", encoding="utf-8")
    (place / "sheet.html").unlink()
    changes = verify(place).changes
    name = lines[0]["item"]
    assert f"sheet-carl.csv, which was added: row {name} (line 2): its texts are not those that were drawn" in changes
    assert {"notes.txt, which was added", "sheet.html, which is missing"} < set(changes) and len(changes) == 3
    done = command("verify", str(place), "--format", "json")
    (record,) = json.loads(done.stdout)["files"]
    assert done.exit_code == 1 and {file["name"]: file["state"] for file in record["contents"]} == states(place)
    with pytest.raises(InputError, match="outputs are compared with scores alone"):
        verify(place, Corpus.from_records(ROWS))


def test_each_changed_digit_of_a_project_is_found(tmp_path: Path) -> None:
    place = tmp_path / "p"
    project(place, Corpus.from_records(ROWS), 4)
    path = place / "project.json"
    text = path.read_text(encoding="utf-8")
    for at, other in flips(text):
        path.write_text(other, encoding="utf-8")
        assert verify(place).ruling == "changed", text[max(0, at - 30) : at + 10]
        with pytest.raises(InputError):
            RatingProject.load(place)
    path.write_text(text, encoding="utf-8")
    record = json.loads(text)
    path.write_text(json.dumps({name: of for name, of in record.items() if name not in ("seal", "files")}))
    assert verify(place).ruling == "no seal" and RatingProject.load(place).id == record["id"]
    assert sealed_folder(place).fields is None
