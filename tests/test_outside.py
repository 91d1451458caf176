"""What another package brings stands beside ours under a name of its own: from Python, from files, and as a command.

tests/outside is such a package as an installer would leave it: modules and a .dist-info folder with entry points.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, ScoreTable, SpecError
from nlgauge.catalogue import registry

PLACE = Path(__file__).parent / "outside"
ROWS = Corpus.from_texts(
    ["a cat sat", "the dog ran off", "a zebra", "mm"],
    [["the cat sat"], ["a dog ran"], ["zebras"], ["m"]],
    systems=["one", "one", "two", "two"],
    items=["1", "2", "1", "2"],
)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLACE))


def nlgauge_command(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PLACE), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "nlgauge", *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_metric_knows_its_registered_name_however_it_was_made() -> None:
    from acme_metrics.metrics import Length

    metric = Length(factor=2)
    spec = "acme-metrics/Length(factor=2)"
    assert metric.name == "acme-metrics/Length" and str(metric) == repr(metric) == spec
    assert registry.metric(spec) == metric != nlgauge.Length()
    for again in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), replace(metric, model=None)):
        assert again == metric and str(again) == spec
    assert str(registry.metric(metric, model="acme-metrics/letters")).endswith("model='acme-metrics/letters')")


def test_two_metrics_of_one_class_name_have_a_column_and_a_signature_each(tmp_path: Path) -> None:
    from acme_metrics.metrics import Length

    table = nlgauge.evaluate(ROWS, metrics=["Length", Length()], model="acme-metrics/letters")
    ours, theirs = table.metrics
    assert ours == "Length" and theirs == "acme-metrics/Length(model='acme-metrics/letters')"
    assert table.values("Length").tolist() == [3, 4, 2, 1]
    # Two letters m at one place, and the first row's nine characters at theirs.
    assert table.values(theirs)[3] == 0
    letters = np.array([[0 if c == " " else ord(c) - 96] for c in "a cat sat"], np.float64)
    vectors = np.concatenate([letters, letters**2], axis=1)
    expected = np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).mean()
    assert table.values(theirs)[0] == pytest.approx(expected, rel=1e-5)
    facts = table.signatures[theirs].facts
    assert facts["model"] == {"name": "acme-metrics/letters", "digest": "ac" * 32}
    assert "model" not in table.signatures["Length"].facts
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    assert again == table
    assert {result.metric for result in nlgauge.compare(again, "one", "two")} == set(table.metrics)


def test_what_its_model_cannot_do_is_one_clear_error() -> None:
    with pytest.raises(SpecError, match="model 'acme-metrics/letters' predicts no masked words"):
        nlgauge.evaluate(ROWS, metrics="InfoLM(idf='none')", model="acme-metrics/letters")


def test_the_command_lists_scores_and_compares_it(tmp_path: Path) -> None:
    listed = json.loads(nlgauge_command("list", "--format", "json"))
    assert "acme-metrics/Length" in json.dumps(listed) and "acme-metrics/letters" in json.dumps(listed)
    outputs, scores = tmp_path / "outputs.jsonl", tmp_path / "scores.jsonl"
    outputs.write_text(
        "".join(json.dumps({"candidate": row.candidate, "system": row.system, "item": row.item}) + "\n" for row in ROWS)
    )
    spec = "acme-metrics/Length(model='acme-metrics/letters')"
    printed = nlgauge_command("score", str(outputs), "-m", "Length", "-m", spec, "-o", str(scores))
    assert spec in printed
    assert ScoreTable.load(scores).metrics == ["Length", spec]
    assert spec in nlgauge_command("compare", str(scores), "one", "two", "--format", "csv")
