"""What another package brings stands beside ours under a name of its own: from Python, from files, and as a command.

tests/outside has three such packages as an installer would leave them: modules and a .dist-info folder with entry
points. Two of them are a file each: a sequence classifier, and a language model behind HTTP as judge.
"""

from __future__ import annotations

import ast
import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import nlgauge
import nlgauge.metrics
import nlgauge.models
from nlgauge import Corpus, InputError, ScoreTable, SpecError, registry
from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.engine.features.request import ByModel, Features
from nlgauge.engine.features.vectors import StaticRequest
from tests.command import nlgauge as command
from tests.engine.models.detectors import roberta, scaled
from tests.metrics.court import Court, court

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


def test_packages_import_public_names_alone() -> None:
    used = set()
    for file in PLACE.rglob("*.py"):
        for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(one, ast.ImportFrom) and one.module and one.module.partition(".")[0] == "nlgauge":
                assert one.module in ("nlgauge", "nlgauge.metrics", "nlgauge.models"), file.name
                used |= {(one.module, name.name) for name in one.names}
    assert len(used) > 20
    for module, name in used:
        assert name in sys.modules[module].__all__, name


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


def test_the_command_lists_scores_and_compares_it(tmp_path: Path) -> None:
    listed = json.loads(nlgauge_command("list", "--format", "json"))
    assert "acme-metrics/Length" in json.dumps(listed) and "acme-metrics/letters" in json.dumps(listed)
    outputs, scores = tmp_path / "outputs.jsonl", tmp_path / "scores.jsonl"
    outputs.write_text(
        "".join(json.dumps({"candidate": row.candidate, "system": row.system, "item": row.item}) + "\n" for row in ROWS)
    )
    spec = "acme-metrics/Length(model='acme-metrics/letters')"
    scored = command("score", outputs, "-m", "Length", "-m", spec, "-o", scores)
    assert scored.exit_code == 0 and spec in scored.stdout, scored.stderr
    assert ScoreTable.load(scores).metrics == ["Length", spec]
    assert spec in command("compare", scores, "one", "two", "--format", "csv").stdout


@dataclass(frozen=True)
class Wider(RowMetric):
    """How many numbers the model's vectors have for one of the letters'."""

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    model: str | None = None

    @property
    def other_models(self) -> tuple[str, ...]:
        return ("acme-metrics/letters",)

    def requests(self, row: Any, prepared: Prepared) -> list[Any]:
        asked = StaticRequest(row.candidate)
        return [asked, ByModel(self.other_models[0], asked)]

    def score_rows(self, rows: Sequence[Any], prepared: Prepared, features: Features) -> list[Value]:
        return [Value((self._width(row, features),)) for row in rows]

    def _width(self, row: Any, features: Features) -> float:
        one, other = (features[request] for request in self.requests(row, Prepared()))
        return float(one.vectors.size / one.vectors.shape[1] / other.vectors.shape[2])


def test_a_metric_reads_several_models_and_its_signature_names_them() -> None:
    table = nlgauge.evaluate(ROWS, metrics=Wider(), cache=False)
    (spec,) = table.metrics
    assert table.values(spec).tolist() == [384 / 2] * 4
    facts = table.signatures[spec].facts
    assert facts["model"]["name"] == "pocket"
    assert facts["model acme-metrics/letters"]["name"] == "acme-metrics/letters"


PAIRS = {
    "candidates": ["the cat sat", "a dog", "", "the mat", "w " * 40],
    "sources": ["the cat sat on the mat", "the dog ran off", "cats", None, "the cat sat on the mat " * 9],
}


def classifier_of(folder: Path, kind: str, **more: Any) -> Any:
    """A saved network with random weights and the tiny tokenizer; its id2label follows from `more`."""
    pytest.importorskip("torch", reason="needs nlgauge[torch]")
    transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")
    from tests.engine.fake import WORDS, save_tokenizer

    transformers.set_seed(4)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(
        vocab_size=len(WORDS), max_position_embeddings=64, initializer_range=0.5, **shape, **more
    )
    net = getattr(transformers, kind)(config).eval()
    net.save_pretrained(folder)
    save_tokenizer(folder, model_max_length=64)
    return net


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("classifier")
    labels = dict(enumerate(["contradiction", "neutral", "entailment"]))
    classifier_of(folder, "BertForSequenceClassification", id2label=labels)
    return str(folder)


def probabilities(table: ScoreTable) -> Any:
    return table.values(table.metrics[0])


def test_a_classifier_says_what_transformers_says(classifier: str) -> None:
    import torch
    import transformers

    name = f"acme-classifier/checkpoint:{classifier}"
    spec = f"acme-classifier/ClassProbability(model={name!r})"
    rows = {
        **PAIRS,
        "candidates": [*PAIRS["candidates"][:4], "w3 w5 [SEP] w9"],
        "sources": [*PAIRS["sources"][:4], "w3 w5"],
    }
    together = nlgauge.evaluate(metrics=spec, **rows, cache=False)
    net = transformers.AutoModelForSequenceClassification.from_pretrained(classifier).eval()
    split = transformers.AutoTokenizer.from_pretrained(classifier)
    for row, value in enumerate(probabilities(together)):
        source, candidate = rows["sources"][row], rows["candidates"][row]
        if source is None or not candidate:
            assert np.isnan(value)
            continue
        with torch.inference_mode():
            encoded = split(source, candidate, return_tensors="pt", split_special_tokens=True)
            expected = net(**encoded).logits.softmax(-1)[0, 2]
        assert value == pytest.approx(float(expected), abs=1e-6)
        alone = nlgauge.evaluate(metrics=spec, candidates=[candidate], sources=[source], cache=False)
        assert probabilities(alone)[0] == pytest.approx(value, abs=1e-6), "the batch makes no difference"
    facts = together.signatures[together.metrics[0]].facts
    assert facts["model"]["name"] == name and facts["precision"] == "float32" and "tokenizer" not in facts


def test_a_classifier_takes_device_and_precision(classifier: str) -> None:
    chosen = {"model": f"acme-classifier/checkpoint:{classifier}", "metrics": "acme-classifier/ClassProbability"}
    table = nlgauge.evaluate(**PAIRS, **chosen, device="cpu", precision="bfloat16", cache=False)
    (spec,) = table.metrics
    assert table.signatures[spec].facts["precision"] == "bfloat16"
    exact = probabilities(nlgauge.evaluate(**PAIRS, **chosen, cache=False))
    assert np.nanmax(np.abs(table.values(spec) - exact)) < 0.05 and not np.array_equal(table.values(spec), exact)
    assert table.run["notes"][spec] == {"the texts are longer than the window: only the beginning is read": 1}
    for wrong, says in (({"device": "tpu"}, "device 'tpu'"), ({"precision": "int8"}, "not in int8")):
        with pytest.raises(SpecError, match=says):
            nlgauge.evaluate(**PAIRS, **chosen, **wrong)
    with pytest.raises(InputError, match="row 5: the texts do not fit"):
        nlgauge.evaluate(**PAIRS, **chosen, window="error", cache=False)


def test_a_model_that_is_no_classifier_is_refused(classifier: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'pocket' tells no classes of texts; choose model='acme-classifier/"):
        nlgauge.evaluate(**PAIRS, metrics="acme-classifier/ClassProbability")
    name = f"acme-classifier/checkpoint:{classifier}"
    with pytest.raises(SpecError, match="label='yes' is not one of 'contradiction', 'neutral', 'entailment'"):
        nlgauge.evaluate(**PAIRS, metrics="acme-classifier/ClassProbability(label='yes')", model=name)
    classifier_of(tmp_path, "BertForTokenClassification", num_labels=2)
    with pytest.raises(SpecError, match=r"is a BertForTokenClassification, not a \.\.\.ForSequenceClassification"):
        class_values(tmp_path, "LABEL_1", **PAIRS)
    with pytest.raises(SpecError, match=r"checkpoint:.*' computes no token vectors"):
        nlgauge.evaluate(ROWS, metrics="BERTScore", model=name)


def class_values(folder: Path, label: str, way: str = "checkpoint", **rows: Any) -> Any:
    spec = f"acme-classifier/ClassProbability(label={label!r}, model='acme-classifier/{way}:{folder}')"
    return probabilities(nlgauge.evaluate(metrics=spec, cache=False, **rows))


def test_one_logit_is_yes_against_no_and_several_labels_may_hold_at_once(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
    import transformers

    rows = {"candidates": ["w3 w5", "w9"], "sources": ["w3 w5 w7", "w1"]}
    labels = {0: "a", 1: "B", 2: "c"}
    for name, more, label, place in (
        ("one", {"num_labels": 1}, "LABEL_0", 0),
        ("many", {"id2label": labels, "problem_type": "multi_label_classification"}, "b", 1),
    ):
        net = classifier_of(tmp_path / name, "BertForSequenceClassification", **more)
        split = transformers.AutoTokenizer.from_pretrained(tmp_path / name)
        with torch.inference_mode():
            encoded = split(rows["sources"], rows["candidates"], return_tensors="pt", padding=True)
            expected = net(**encoded).logits.sigmoid()[:, place]
        found = class_values(tmp_path / name, label, **rows)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert len(set(found.tolist())) == 2, "a softmax over one logit would be 1 for all"


def test_minichecks_packing_has_one_separator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the published program joins them: document, the token for the end of a text, claim, in one text."""
    torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
    transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")
    import acme_classifier

    split, config = roberta(num_labels=2)  # whose tokens hold the space before a word
    split.save_pretrained(tmp_path)
    net = scaled(transformers.RobertaForSequenceClassification(config))
    net.save_pretrained(tmp_path)

    def published(chunks: Sequence[str], claim: str) -> float:
        with torch.inference_mode():
            joined = [split(split.eos_token.join([chunk, claim]), return_tensors="pt") for chunk in chunks]
            assert all(row["input_ids"][0].tolist().count(2) == 2 for row in joined)
            return max(float(net(**row).logits.softmax(-1)[0, 1]) for row in joined)

    claim, sentences = "A cat ran.", ["The cat sat.", "The dog ran off.", "A dog sat.", "The cat ran off."]
    source = "  ".join(sentences)
    (found,) = class_values(tmp_path, "LABEL_1", "minicheck", candidates=[claim], sources=[source])
    assert found == pytest.approx(published([source], claim), abs=1e-6)
    # In chunks of whole sentences, which begin with a word and not with the space before it.
    sizes = [len(split(one, add_special_tokens=False)["input_ids"]) for one in sentences]
    monkeypatch.setattr(acme_classifier.MiniCheckClassifier, "chunk", max(sizes) + 2)
    (found,) = class_values(tmp_path, "LABEL_1", "minicheck", candidates=[claim], sources=[source])
    assert found == pytest.approx(published(sentences, claim), abs=1e-6)
    # A token that is written in a text is text.
    rows = {"candidates": [claim], "sources": ["The cat </s> sat."]}
    assert np.isfinite(class_values(tmp_path, "LABEL_1", "minicheck", **rows)).all()


def marked(prompt: str) -> Any:
    """As a mark, how many words the summary has."""
    summary = prompt.rpartition("Summary: ")[2]
    return "nonsense" if "?" in summary else len(summary.split())


@pytest.fixture
def judge() -> Iterator[Court]:
    with court(marked) as server:
        server.slow = 0.02
        yield server


def at(judge: Court) -> str:
    return f"acme-judge/server:{judge.url}"


def asked(judge: Court) -> dict[str, int]:
    return {prompt.rpartition("Summary: ")[2]: often for prompt, often in judge.asked.items()}


def judged(judge: Court, candidates: Sequence[str], cache: Path | bool = False) -> Any:
    rows = {"candidates": candidates, "sources": ["A text."] * len(candidates)}
    table = nlgauge.evaluate(**rows, metrics="acme-judge/Judged", model=at(judge), cache=cache)
    return table.column(table.metrics[0])


def test_a_judge_is_asked_a_few_questions_at_a_time(judge: Court) -> None:
    texts = [f"{'word ' * (n % 9)}end{n}" for n in range(20)]
    found = judged(judge, [*texts, texts[0]])
    assert found.values[:, 0].tolist() == [len(text.split()) for text in [*texts, texts[0]]]
    assert 1 < judge.most <= 4
    assert set(judge.asked.values()) == {1}, "the same question once"


def test_a_question_that_fails_is_asked_again_and_its_row_says_why(judge: Court, tmp_path: Path) -> None:
    failing = {"two words": 2, "never": 99}

    def before(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        failed = [often for summary, often in failing.items() if body["prompt"].endswith(f": {summary}")]
        return (503, {}, b"") if failed and judge.asked[body["prompt"]] <= failed[0] else None

    judge.before = before
    found = judged(judge, ["one", "two words", "never", "is it?"], tmp_path)
    assert found.values[:2, 0].tolist() == [1, 2] and np.isnan(found.values[2:]).all()
    assert found.reasons == {
        2: "the judge did not answer: HTTP 503",
        3: "the judge said 'nonsense', which is no number from 1 to 10",
    }
    assert asked(judge) == {"one": 1, "two words": 3, "never": 3, "is it?": 1}
    failing.clear()
    again = judged(judge, ["one", "two words", "never", "is it?", "one two three"], tmp_path)
    assert again.values[[0, 1, 2, 4], 0].tolist() == [1, 2, 1, 3]
    assert asked(judge) == {"one": 1, "two words": 3, "never": 4, "is it?": 1, "one two three": 1}, "answers are kept"


def test_an_answer_is_cached_although_another_system_is_scored(judge: Court, tmp_path: Path) -> None:
    judged(judge, ["one", "two words"], tmp_path)
    rows = {"candidates": ["two words"], "sources": ["A text."], "references": [["Another column."]]}
    table = nlgauge.evaluate(**rows, metrics="acme-judge/Judged", model=at(judge), cache=tmp_path, evidence=True)
    assert table.values(table.metrics[0]).tolist() == [2] and set(judge.asked.values()) == {1}


def test_a_judge_that_cannot_be_had_is_one_clear_error(judge: Court) -> None:
    rows = {"candidates": ["a"], "sources": ["b"], "metrics": "acme-judge/Judged"}
    for model, says in (
        (None, "'pocket' answers no questions; choose model='acme-judge/server"),
        ("acme-judge/server", "name the judge's address"),
        ("acme-judge/server:http://127.0.0.1:9", "no judge answers at http://127.0.0.1:9"),
    ):
        with pytest.raises(SpecError, match=says):
            nlgauge.evaluate(**rows, model=model)
    with pytest.raises(SpecError, match="does not accept device 'cpu'; leave it out"):
        nlgauge.evaluate(**rows, model=at(judge), device="cpu")
    with pytest.raises(SpecError, match="computes no token vectors"):
        nlgauge.evaluate(ROWS, metrics="BERTScore", model=at(judge))
