"""Figure 7 of CTC: accuracy and agreement at the points of one run, and after training on."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

from lab.training.aligner_world import texts, write_body
from lab.training.test_aligner_run import RECIPE, write
from nlgauge import Corpus
from nlgauge.errors import SpecError
from nlgauge_lab.studies.accuracy import accuracy


def test_the_points_are_those_of_the_run_with_an_aligner_each(tmp_path):
    body = write_body(tmp_path / "body")
    for name, number, seed in (("mine", 60, 1), ("words", 20, 2), ("people", 60, 3)):
        write(tmp_path / f"{name}.jsonl", texts(number, seed))
    (tmp_path / "recipe.toml").write_text(RECIPE.format(body, "", 4) + "head_rate = 0.01\n", encoding="utf-8")
    rated = Corpus.from_records(
        {"candidate": one.candidate, "source": one.source, "item": str(n), "scores": {"right": n % 5 / 4}}
        for n, one in enumerate(texts(20, 4))
    )

    def run(metric="Consistency(aligner='D')"):
        return accuracy(
            rated,
            tmp_path / "words.jsonl",
            tmp_path / "out",
            2,
            metric=metric,
            finetune=tmp_path / "people.jsonl",
            labelled=tmp_path / "mine.jsonl",
            config=tmp_path / "recipe.toml",
            level="pooled",
            replicates=0,
            cache=False,
        )

    found = run()
    assert found.lines == ["trained", "fine-tuned"]
    assert [point.setting["steps"] for point in found.points] == [2, 4, 2]
    curve = [json.loads(line) for line in (tmp_path / "out" / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [p["words"]["words"]["accuracy"] for p in curve] == [p.setting["accuracy"] for p in found.points[:2]]
    assert len({point.agreement.value for point in found.points}) == 3
    assert run().points == found.points
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "figure.svg")
    assert "accuracy of the alignment" in (tmp_path / "figure.svg").read_text(encoding="utf-8")
    with pytest.raises(SpecError, match="is no metric of the aligner D"):
        run("Consistency")
