"""nlgauge sample: the folder that it makes, what it never overwrites, and back by nlgauge estimate and calibrate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.ratings.project import RatingProject
from tests.command import nlgauge, refused, written
from tests.ratings.hidden import outputs
from tests.ratings.projects import fill

TABLE, CORPUS, TRUTH = outputs(200, 0)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Outputs, beside the scores of them."""
    TABLE.save(tmp_path / "scores.jsonl")
    rows = [{"system": row.system, "item": row.item, "candidate": f"{row.system} {row.item}"} for row in CORPUS]
    return written(tmp_path / "outputs.jsonl", rows)


def test_a_project_is_made_filled_estimated_and_calibrated(place: Path, tmp_path: Path) -> None:
    """Two versions are two strata of equal probability: one threshold is certified for both, or for one of them."""
    folder, scores = tmp_path / "to-rate", tmp_path / "scores.jsonl"
    result = nlgauge("sample", place, "-n", 200, "--scores", scores, "--aspect", "good", "-o", folder)
    assert result.stdout.split() == [
        str(folder / f) for f in ("sheet.csv", "sheet.html", "guideline.md", "project.json")
    ]
    assert f"200 of 400 rows were drawn for the project {RatingProject.load(folder).id}" in result.stderr
    asked = ("estimate", scores, "--ratings", folder, "--format", "json")
    fill(folder, lambda row: ["Made up", "in the source"][int(TRUTH[row.system, row.item])])
    refused(*asked, say="the label '")
    labelled = nlgauge(*asked, "--label", "made up=0", "--label", "in the source=yes")
    fill(folder, lambda row: ["fail", "Pass"][int(TRUTH[row.system, row.item])])
    records = json.loads(nlgauge(*asked).stdout)
    assert json.loads(labelled.stdout) == records
    assert [record["ratings"] for record in records["estimates"]] == [100, 100, 200]
    found = nlgauge("calibrate", scores, "--ratings", folder, "--risk", 0.2, "-o", tmp_path / "threshold.json")
    assert found.exit_code == 0, found.stderr
    assert "ratings are tested: rows of an item or a cluster are not independent" in found.stderr
    one = nlgauge("calibrate", scores, "--ratings", folder, "--risk", 0.2, "--system", "b", "-o", tmp_path / "b.json")
    assert one.exit_code == 0 and "are tested" not in one.stderr
    assert (RatedThreshold.load(tmp_path / "threshold.json").n, RatedThreshold.load(tmp_path / "b.json").n) == (
        200,
        100,
    )
    refused(
        "calibrate", scores, "--ratings", folder, "--system", "c", say="there is no system 'c' (the scores have a, b)"
    )
    agreement = nlgauge("correlate", scores, "--ratings", folder, "--level", "pooled")
    assert agreement.exit_code == 0, agreement.stderr
    page = nlgauge("report", scores, "--outputs", place, "--ratings", folder, "-o", tmp_path / "report.html")
    assert page.exit_code == 0 and "good" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_gate_takes_the_project_whole(tmp_path: Path) -> None:
    """Every third output is wrong; TokenF1 is 1 for right ones and 0 for wrong ones."""
    rows = [
        {"item": f"i{n}", "candidate": "it rains" if n % 3 else "it snows", "references": ["rains"]} for n in range(150)
    ]
    place, folder = written(tmp_path / "outputs.jsonl", rows), tmp_path / "p"
    assert nlgauge("sample", place, "-n", 90, "--aspect", "good", "-o", folder).exit_code == 0
    gate = ("check", place, "-m", "TokenF1", "--no-cache", "--format", "json", "--ratings", folder)
    refused(*gate, say="no row is rated yet")
    fill(folder, lambda row: "yes" if int(row.item[1:]) % 3 else "no")
    result = nlgauge(*gate, "--risk", 0.2)
    assert result.exit_code == 1, result.stderr
    found = json.loads(result.stdout)
    assert sum(row["state"] != "passed" for row in found["rows"]) == 50
    assert nlgauge(*gate, "--risk", 0.02).exit_code == 2, "60 of 60 right ones do not certify 2 %"
    refused(*gate, "--at-least", 0.5, say="--ratings makes the threshold")


def test_nothing_that_is_filled_is_overwritten(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "to-rate"
    arguments = ("sample", place, "-n", 40, "--aspect", "good", "-o", folder)
    assert nlgauge(*arguments).exit_code == 0
    refused(*arguments, say="holds a rating project, in which no row is rated (name another folder, or delete this one")
    for name in ("sheet.csv", "sheet-anna.csv"):
        fill(folder, lambda row: 1, name)
        sheet = (folder / name).read_bytes()
        refused(*arguments, "--seed", 1, say="holds a rating project, in which 40 rows are rated (name another folder")
        assert (folder / name).read_bytes() == sheet
    (folder / "sheet.csv").write_text("broken", encoding="utf-8")
    refused(*arguments, say="holds a rating project (name another folder")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("", encoding="utf-8")
    refused("sample", place, "-n", 40, "-o", tmp_path / "full", say="full: is not empty (name another folder")
    refused("sample", place, "-n", 40, "-o", place, say="name a folder, not a file")
    refused("sample", place, "-n", 40, "-o", tmp_path / "to-rate.csv", say="sheet.csv, sheet.html and project.json")
    (tmp_path / "empty").mkdir()
    assert nlgauge("sample", place, "-n", 40, "-o", tmp_path / "empty").exit_code == 0
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")], "nothing unfinished is left"


def test_a_sheet_alone_and_a_key_are_refused(place: Path, tmp_path: Path) -> None:
    folder, scores = tmp_path / "p", tmp_path / "scores.jsonl"
    assert nlgauge("sample", place, "-n", 60, "--aspect", "good", "-o", folder).exit_code == 0
    fill(folder, lambda row: 1)
    refused("estimate", scores, "--ratings", folder / "sheet.csv", say=f"give the folder: --ratings {folder}")
    (tmp_path / "elsewhere.csv").write_bytes((folder / "sheet.csv").read_bytes())
    refused("estimate", scores, "--ratings", tmp_path / "elsewhere.csv", say="put it into the project's folder")
    refused(
        "estimate", scores, "--ratings", folder, "--key", place, say="--key is no longer read: nlgauge sample makes"
    )
    refused("estimate", scores, "--ratings", folder, "--map", "item=id", say="--map names the columns of a table")
