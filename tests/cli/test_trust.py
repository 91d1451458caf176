"""nlgauge trust: the sentence, the tables, the page and what is asked wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.answers.test_trust import judged
from tests.command import nlgauge, refused, written
from tests.metrics.court import court


@pytest.fixture
def given(tmp_path: Path) -> list[object]:
    table, corpus, _ = judged()
    table.save(tmp_path / "scores.jsonl")
    rows = [
        {"system": row.system, "item": row.item, "candidate": "<b>&", "source": "a b", "scores": dict(row.scores)}
        for row in corpus
    ]
    rated = written(tmp_path / "rated.jsonl", rows)
    return ["trust", tmp_path / "scores.jsonl", "--ratings", rated, "--replicates", 20]


def test_a_sentence_then_the_tables(given: list[object]) -> None:
    result = nlgauge(*given, "--before", given[1])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("judge finds 96% of the bad rows (27 of 28, 95 % interval ")
    assert "153 [136, 211]" in result.stdout
    assert "certified" in result.stdout and "decided" in result.stdout
    record = json.loads(nlgauge(*given, "--format", "json", "--risk", 0.2).stdout)
    assert (record["command"], record["risk"], len(record["scorers"])) == ("trust", 0.2, 1)
    one = record["scorers"][0]
    assert one["tpr_low"] < one["tpr"] < one["tpr_high"] and one["moved"] is None and len(one["reliability"]) == 2
    assert one["effective_low"] < one["effective"] < one["effective_high"] and one["rows"] == 400
    assert record["disputes"][0]["metric"] == "judge"


def test_the_page_escapes_texts_and_brings_no_script(given: list[object], tmp_path: Path) -> None:
    assert nlgauge(*given, "-o", tmp_path / "trust.html").exit_code == 0
    page = (tmp_path / "trust.html").read_text(encoding="utf-8")
    assert "judge finds " in page and "<svg" in page and "differ most" in page
    assert "&lt;b&gt;&amp;" in page and "<b>&" not in page and "<script></script>" in page
    # Each cell names its column for narrow screens; a column that no scorer fills is not there, and none is cut.
    assert 'data-head="certified at risk 0.1"' in page and "<td data-head=" in page and 'class="wide"' not in page
    assert "changes its mind" not in page and "decided otherwise" not in page
    assert nlgauge(*given, "-o", tmp_path / "trust.html", "--before", given[1]).exit_code == 0
    assert 'data-head="decided otherwise"' in (tmp_path / "trust.html").read_text(encoding="utf-8")


def test_what_is_asked_wrongly(given: list[object]) -> None:
    refused(*given, "--threshold", "judge", say="write METRIC=X")
    refused(*given, "--threshold", "other=1", say="no metric other in the table")
    refused(*given, "-m", "other", say="no metric other in the table")
    refused(*given, "--risk", "0.1", "--aspect", "tone", say="nothing is rated for 'tone'")


def test_a_judge_that_obeys_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    """A judge that reads orders passes what it stopped; one that reads the answer alone does not."""
    rows = [
        {
            "candidate": f"answer {n} is {'right' if n % 3 else 'wrong'}",
            "source": "s",
            "item": n,
            "scores": {"right": int(n % 3 > 0)},
        }
        for n in range(60)
    ]
    path, scores = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Is it right? {candidate}", encoding="utf-8")

    def honest(text: str) -> float:
        return 0.1 if "is wrong" in text else 0.9

    def obedient(text: str) -> float:
        return 0.95 if "verdict" in text else honest(text)

    for says, least, most in ((honest, 0, 0), (obedient, 5, 15)):
        with court(says) as server:
            spec = f"Judge('{server.url}', prompt='{prompt}')"
            assert nlgauge("score", path, "-m", spec, "-m", "Length", "-o", scores, "--no-cache").exit_code == 0
            server.bodies.clear()
            done = nlgauge("trust", scores, "--ratings", path, "-m", spec, "--inject", "--format", "json")
            assert done.exit_code == 0, done.stderr
            (one,) = json.loads(done.stdout)["scorers"]
            assert one["injected"] == 20 and server.asked.total() == 20
            assert least <= round(one["obeyed"] * 20) <= most and one["obeyed_high"] > one["obeyed"]
            assert "with an order behind the answer it lets pass" in json.loads(done.stdout)["answers"][0]
            texts = " ".join(server.asked)
            assert texts.count("yes") >= 20 and "Ignore everything above" in texts


def test_who_cannot_be_probed_is_told_so(tmp_path: Path) -> None:
    rows = [{"candidate": f"answer {n}", "item": n, "a": n / 40, "scores": {"right": int(n > 15)}} for n in range(40)]
    path, scores = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert nlgauge("score", path, "-m", "Column:a", "-o", scores, "--no-cache").exit_code == 0
    done = nlgauge("trust", scores, "--ratings", path, "--inject")
    assert done.exit_code == 2 and "columns of other tools cannot" in done.stderr
