"""nlgauge reproduce: lists, refuses, writes, goes on."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from lab.reproduce import pieces
from nlgauge.engine.models.loading import pocket_folder
from nlgauge_lab.reproduce import exhibits, labelled_sets, layers, published, suites
from nlgauge_lab.reproduce.published import Source, table
from nlgauge_lab.reproduce.suites import Group, Suite
from tests.command import nlgauge, refused

pytestmark = pytest.mark.usefixtures("one_model", "counting")


@pytest.fixture
def one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the made-up table is there, and one whose data are not."""
    absent = pieces.table(name="absent", data={"tiny": [{"file": "huge"}]})
    found = {record["name"]: table(record) for record in (pieces.table(), absent)}
    monkeypatch.setattr(published, "tables", lambda: found)


def test_tables_are_listed_with_what_they_need_or_why_they_cannot_be_had() -> None:
    result = nlgauge("reproduce")
    assert result.exit_code == 0
    assert "  ctc-table-d1 " in result.stdout
    assert "needs --data with summeval" in result.stdout
    assert "no: licence" in result.stdout
    records = json.loads(nlgauge("reproduce", "--format", "json").stdout)["tables"]
    assert {record["paper"] for record in records} == {"infolm", "baryscore", "ctc", "mark-evaluate", "maskeval"}


def test_wrong_names_and_absent_data_are_refused(tmp_path: Path) -> None:
    refused("reproduce", "results", "ctc-table-d1", say="results stands alone")
    refused("reproduce", "papers", "ctc-table-d1", say="papers stands alone")
    refused("reproduce", "ctc-table-d1", say="give the folder of the rated data with --data")
    refused("reproduce", "--data", tmp_path / "nowhere", say="is not a folder")
    out = tmp_path / "out"
    refused("reproduce", "ctc-table-d1", "--data", tmp_path, "-o", out, say="there is no summeval.jsonl in")
    refused("reproduce", "all", "--data", tmp_path, "-o", out, "--limit", "1", say="none of the rated data is there")
    refused("reproduce", "results", "--data", tmp_path, "-o", out, say="none of the rated data is there")
    refused("reproduce", "coverage", "--data", tmp_path, "--cached", say="--cached is for tables, panels and results")
    refused("reproduce", "results", "--data", tmp_path, "--cached", "--fresh", say="not with --no-cache or --fresh")
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused("reproduce", "ctc-table-d1", "--data", tmp_path, "-o", tmp_path / "file", say="cannot be made")
    refused("reproduce", "results", "--data", tmp_path, "-o", out, "--page", out / "a" / "b", say="cannot be written")


@pytest.mark.usefixtures("one_table")
def test_a_table_is_printed_in_every_form_and_the_second_time_costs_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = nlgauge("reproduce", "made-up", "--data", folder, "-o", out)
    assert first.exit_code == 0, first.output
    assert [line.split()[1:3] for line in first.stdout.splitlines() if line.startswith("Length")] == [
        ["0.7151", "0.7151"],
        ["0.9017", "0.9017"],
    ]
    assert "tiny: 9 rows by 1 of encoding (Words)" in first.stderr
    assert "18 values were computed" in first.stderr
    assert (out / "made-up.md").read_text(encoding="utf-8").startswith("# made-up\n")
    assert (out / "made-up.csv").read_text(encoding="utf-8").startswith("table,block,row,column,published,ours,")
    again = nlgauge("reproduce", "made-up", "--data", folder, "-o", out)
    assert again.stdout == first.stdout
    assert "0 values were computed" in again.stderr
    assert "tiny:" not in again.stderr
    for option in ("--fresh", "--no-cache"):
        fresh = nlgauge("reproduce", "made-up", "--data", folder, "-o", out, option)
        assert "18 values were computed; no score was cached" in fresh.stderr
    run = ("reproduce", "made-up", "--data", folder, "-o", out, "--format")
    csv_lines, markdown, latex = (nlgauge(*run, form).stdout for form in ("csv", "markdown", "latex"))
    (full,) = (line.split(",") for line in csv_lines.splitlines() if line.startswith("Length,0.9017"))
    assert float(full[2]) == pytest.approx(0.9017, abs=5e-5) and abs(float(full[3])) < 5e-5
    assert any(line.startswith("| Length | 0.9017 | 0.9017 | ") for line in markdown.splitlines())
    assert r"\begin{tabular}" in latex and "Length & $0.9017$ & $0.9017$" in latex
    listed = nlgauge("reproduce", "--format", "csv").stdout.splitlines()
    assert listed[0] == "table,paper,title,state" and any(line.startswith("made-up,") for line in listed)


@pytest.mark.usefixtures("one_table")
def test_all_leaves_out_what_has_no_data_and_json_is_one_document(folder: Path, tmp_path: Path) -> None:
    result = nlgauge("reproduce", "all", "--data", folder, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.output
    assert "absent is left out: no huge" in result.stderr
    (record,) = json.loads(result.stdout)["tables"]
    (cell,) = record["blocks"][0]["rows"]["Length"]
    assert cell["ours"] == pytest.approx(pieces.POOLED)


@pytest.mark.usefixtures("one_table")
def test_a_model_that_cannot_be_loaded_is_a_failure(folder: Path, tmp_path: Path) -> None:
    result = nlgauge("reproduce", "made-up", "--data", folder, "-o", tmp_path / "out", "--model", "large")
    assert result.exit_code == 1
    assert "nothing was scored: 'large' is not a model of nlgauge; choose pocket, base" in result.stderr
    assert not (tmp_path / "out" / "made-up.md").exists()


@pytest.mark.usefixtures("one_table")
def test_without_matplotlib_there_are_no_figures_and_a_note(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = nlgauge("reproduce", "made-up", "--data", folder, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert result.stderr.count("no figures: drawing figures needs an optional library") == 1
    assert not list((tmp_path / "out").glob("*.png"))
    assert "png" not in (tmp_path / "out" / "made-up.md").read_text(encoding="utf-8")


def test_the_results_page_is_written_where_asked(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite("tiny", "Tiny", (Source("tiny"),), ("quality",), (("pooled", "pearson"),), (Group(("Words",)),))
    monkeypatch.setattr(suites, "SUITES", (suite,))
    place = tmp_path / "agreement.md"
    options = ("--model", "pocket", "--data", folder, "-o", tmp_path / "out", "--page", place, "--replicates", 20)
    before = nlgauge("reproduce", "results", *options, "--cached")
    assert "0 values were computed" in before.stderr
    assert "- Tiny, no model: `Words` not scored" in place.read_text(encoding="utf-8")
    result = nlgauge("reproduce", "results", *options)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{place}\n"
    assert "quality,pooled,pearson,Words,pocket@" in (tmp_path / "data" / "agreement.csv").read_text(encoding="utf-8")
    assert "1 numbers](data/agreement.html)" in place.read_text(encoding="utf-8")


def test_a_run_of_some_metrics_on_some_data_leaves_the_other_lines(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = ("quality",), (("pooled", "pearson"),), (Group(("Words", "Length")),)
    both = tuple(Suite(name, name.title(), (Source(name),), *how) for name in ("tiny", "other"))
    monkeypatch.setattr(suites, "SUITES", both)
    place, table_of = tmp_path / "agreement.md", tmp_path / "data" / "agreement.csv"
    pieces.write(folder, "other", ("long", "middle"))
    run = ("reproduce", "results", "--model", "pocket", "-o", tmp_path / "out", "--page", place, "--replicates", 0)
    assert nlgauge(*run, "--data", folder).exit_code == 0
    before, text = table_of.read_text(encoding="utf-8"), place.read_text(encoding="utf-8")
    assert "- **Tiny**: 9 rows, 3 items, 3 systems." in text and "- **Other**: 6 rows" in text
    (folder / "tiny.jsonl").unlink()
    result = nlgauge(*run, "--data", folder, "--metrics", "Words")
    assert result.exit_code == 0, result.output
    assert sorted(table_of.read_text(encoding="utf-8").splitlines()) == sorted(before.splitlines())
    assert place.read_text(encoding="utf-8") == text


@pytest.mark.usefixtures("one_table")
def test_a_table_that_was_made_is_recorded_and_the_page_is_held_against_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exhibits, "tables", published.tables)
    record, readme, out = tmp_path / "made.csv", tmp_path / "page.md", ("-o", tmp_path / "out")
    readme.write_text("Kept.\n<!-- papers -->\n<!-- end of papers -->\n", encoding="utf-8")
    listing = ("reproduce", "papers", "--record", record, "--readme", readme, *out)
    assert nlgauge(*listing).exit_code == 0
    assert "| **prepared**: no run is recorded |" in readme.read_text(encoding="utf-8")
    assert nlgauge(*listing, "--check").exit_code == 0
    run = ("reproduce", "made-up", "--data", folder, *out, "--record", record)
    refused(*run, "--limit", 1, say="--record is of whole tables")
    assert not record.exists()
    assert nlgauge(*run).exit_code == 0
    before = readme.read_text(encoding="utf-8")
    stale = nlgauge(*listing, "--check")
    assert (stale.exit_code, readme.read_text(encoding="utf-8")) == (1, before)
    assert f"{readme} is not what the tables and records say" in stale.stderr
    nlgauge(*listing)
    assert f"**made** {date.today()} by pocket@" in readme.read_text(encoding="utf-8")
    assert nlgauge(*listing, "--check").exit_code == 0
    refused("reproduce", "papers", "--check", say="name the page with --readme")
    refused("reproduce", "made-up", "--data", folder, "--check", say="--check is for papers")
    refused("reproduce", "results", "--data", folder, "--record", record, say="--record is for tables and papers")


def test_each_row_takes_the_checkpoint_of_its_paper_and_what_is_lacking_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"row": "here", "spec": "Words", "checkpoint": "own"},
        {"row": "unknown", "spec": "Words"},
        {"row": "several", "spec": "Words"},
        {"row": "no model", "spec": "Length"},
    ]
    made = pieces.table(rows=rows[:2] + rows[3:], checkpoint="nowhere-large")
    several = pieces.table(name="several", rows=rows[2:3])
    monkeypatch.setattr(published, "tables", lambda: {one["name"]: table(one) for one in (made, several)})
    checkpoints = tmp_path / "checkpoints"
    checkpoints.mkdir()
    (checkpoints / "own").symlink_to(pocket_folder())
    run = ("reproduce", "made-up", "several", "--data", folder, "-o", tmp_path / "out", "--format", "json")
    result = nlgauge(*run, "--model", "paper", "--checkpoints", checkpoints)
    assert result.exit_code == 0, result.output
    lacking = "lacking for made-up: nowhere-large is no public name: put it into the folder --checkpoints"
    assert lacking in result.stderr
    one, other = sorted(json.loads(result.stdout)["tables"], key=lambda each: each["name"] == "several")
    first = {name: cells[0] for name, cells in one["blocks"][0]["rows"].items()}
    assert first["here"]["ours"] == pytest.approx(pieces.POOLED)
    assert first["unknown"]["reason"] == "nowhere-large is not there"
    assert first["no model"]["reason"] is None
    reason = other["blocks"][0]["rows"]["several"][0]["reason"]
    assert reason == "the paper names no checkpoint for it, or used several together"
    refused("reproduce", "results", "--data", folder, "--model", "paper", say="--model paper is for tables")
    refused("reproduce", "made-up", "--data", folder, "--checkpoints", checkpoints, say="is for --model paper")


def test_detection_is_written_as_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"source": "A red car.", "candidate": text, "supported": text == "A car."}
        for text in ("A car.", "Two green cars.")
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "fever_symmetric.test.jsonl").write_text(lines, encoding="utf-8")
    readme = tmp_path / "README.md"
    readme.write_text("<!-- detection -->\n<!-- end of detection -->\n", encoding="utf-8")
    of_others = [one for one in labelled_sets.LABELLED_SETS if one.name != "written.test"]  # which has 3570 rows here
    monkeypatch.setattr(labelled_sets, "LABELLED_SETS", of_others)
    options = ("--data", tmp_path, "-o", tmp_path / "out", "--replicates", 5, "--metrics", "CopyRate")
    result = nlgauge("reproduce", "detection", *options, "--readme", readme)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "detection.md").read_text(encoding="utf-8")
    assert "| `CopyRate` |  | 1.000" in text and "Not here: ragtruth_qa.test, summedits.test" in text
    assert "| FEVER, symmetric | 2 |" in readme.read_text(encoding="utf-8")
    assert "fever_symmetric.test: 2 rows by CopyRate" in result.stderr


def test_layers_are_of_one_model(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = Suite("tiny", "Tiny", (Source("tiny"),), ("quality",), (("pooled", "pearson"),), ())
    monkeypatch.setattr(layers, "SUITES", (suite,))
    monkeypatch.setattr(layers, "FAMILIES", {"Consistency": {"tiny": ("quality",)}})
    result = nlgauge("reproduce", "layers", "--data", folder, "-o", tmp_path, "--limit", 2)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "layers.md").read_text(encoding="utf-8")
    assert text.startswith("# Layers of pocket@") and "\n## Consistency\n" in text
    refused("reproduce", "layers", "--data", folder, "--model", "a", "--model", "b", say="layers are of one model")
    refused("reproduce", "ctc-table-d1", "--model", "a", "--model", "b", say="several models, and --readme, are for")
    out = ("-o", tmp_path / "o", "--readme", tmp_path / "no.md")
    refused("reproduce", "results", "--data", folder, *out, say="is no page")
