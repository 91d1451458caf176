"""The whole flow on the embedded model. Nothing here depends on how good that model is."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, SpecError, registry
from nlgauge._version import __version__
from nlgauge.data.table import ScoreTable
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.evaluation import NO_CANDIDATE
from tests.extras import lacking
from tests.score_tables import same

pytestmark = pytest.mark.usefixtures("one_model")

SPECS = [
    "InfoLM",
    "InfoLM(measure='kl', idf='references')",
    "InfoLM(references='mean', measure='jensen_shannon', temperature=2, idf='none')",
    "InfoLM(measure='l2', stride=4)",
]


@pytest.fixture(scope="session")
def corpus(records: list[dict[str, Any]]) -> Corpus:
    return Corpus.from_records(records)[:8]


def test_lists_records_and_a_corpus_give_the_same_table(records: list[dict[str, Any]], corpus: Corpus) -> None:
    records = records[: len(corpus)]
    by_corpus = nlgauge.evaluate(corpus, metrics="InfoLM")
    by_records = nlgauge.evaluate(iter(records), metrics=["InfoLM"])
    by_lists = nlgauge.evaluate(
        metrics=(nlgauge.InfoLM(),),
        **{name: [record[name.removesuffix("s")] for record in records] for name in ("candidates", "sources")},
        **{name: [record[name.removesuffix("s")] for record in records] for name in ("systems", "items")},
        references=[record["references"] for record in records],
    )
    assert by_corpus.rows == [(record["system"], record["item"]) for record in records]
    for other in (by_records, by_lists):
        assert other.rows == by_corpus.rows
        assert other.run["corpus"] == by_corpus.run["corpus"] == corpus.digest
        assert other.signatures == by_corpus.signatures
        np.testing.assert_array_equal(other.values("InfoLM"), by_corpus.values("InfoLM"))
    assert np.isfinite(by_corpus.values("InfoLM")).all()
    assert by_corpus.values("InfoLM").dtype == np.float64


def test_what_gives_no_rows_or_no_metric_is_refused(corpus: Corpus) -> None:
    for given in ({}, {"corpus": corpus, "candidates": ["A cat."]}):
        with pytest.raises(SpecError, match="either a corpus or candidates"):
            nlgauge.evaluate(**given, metrics="InfoLM")
    for name in ("references", "sources", "contexts", "systems", "items"):
        with pytest.raises(SpecError, match="a corpus holds its own"):
            nlgauge.evaluate(corpus, metrics="InfoLM", **{name: ["a"] * len(corpus)})
    with pytest.raises(InputError, match="no rows"):
        nlgauge.evaluate([], metrics="InfoLM")
    with pytest.raises(SpecError, match="no metric"):
        nlgauge.evaluate(corpus, metrics=[])


def test_metrics_in_one_run_equal_each_alone_and_share_the_work(corpus: Corpus) -> None:
    together = nlgauge.evaluate(corpus, metrics=SPECS)
    assert together.metrics == [str(nlgauge.registry.metric(spec)) for spec in SPECS]
    for spec in SPECS[1:]:
        alone = nlgauge.evaluate(corpus, metrics=spec)
        np.testing.assert_allclose(together.values(spec), alone.values(spec), rtol=0, atol=1e-9)
        assert alone.signatures.items() <= together.signatures.items()

    distinct = {row.candidate for row in corpus} | {text for row in corpus for text in row.references}
    ledger = together.spent["models"]["pocket"]
    assert ledger["texts"] == len(distinct)
    passes = nlgauge.evaluate(corpus, metrics="InfoLM").spent["models"]["pocket"]["passes"]
    assert nlgauge.evaluate(corpus, metrics=SPECS[:3]).spent["models"]["pocket"]["passes"] == passes
    assert passes < ledger["passes"] < 2 * passes, "once exactly and once with stride=4"


def test_undefined_values_are_nan_with_the_reason() -> None:
    table = nlgauge.evaluate(
        candidates=["", "A cat.", "A cat.", "A cat.", " \n", "A cat."],
        references=["A cat.", [], None, ["", " "], [""], ["", "The cat."]],
        metrics=["InfoLM(idf='none')", "InfoLM(references='mean', measure='l2', idf='none')"],
    )
    for spec in table.metrics:
        assert np.isnan(table.values(spec)).tolist() == [True] * 5 + [False]
        assert table.column(spec).reasons == {
            0: "the candidate has no words",
            1: "no reference",
            2: "no reference",
            3: "no reference has words",
            4: "the candidate has no words",
        }
        assert table.run["notes"][spec]["references without words left out"] == 1
    score = table.by_system()[0]
    assert (score.n, score.undefined) == (1, 5)
    assert score.mean == table.values("InfoLM(idf='none')")[5]


def test_the_signature_says_what_the_numbers_depend_on(corpus: Corpus) -> None:
    spec = "InfoLM(measure='l1', idf='references')"
    signature = nlgauge.evaluate(corpus[:3], metrics=spec, window="cut").signatures[spec]
    model, facts = loading.load("pocket"), signature.facts
    assert signature.spec == spec
    assert facts["model"] == {"name": "pocket", "digest": model.digest}
    assert f"|model:pocket@{model.digest[:8]}|" in str(signature)
    assert facts["files"] == model.files[:12]
    assert facts["tokenizer"] == {"name": f"tokenizers-{version('tokenizers')}", "digest": model[TOKENIZER].digest}
    assert facts["precision"] == "float32"
    assert str(facts["window"]).startswith(f"cut@{model.window},longer 0/")
    assert str(facts["backend"]).startswith("onnxruntime-")
    assert str(facts["idf"]).startswith("references@")
    assert facts["temperature"] == model.card.temperature
    assert re.fullmatch(re.escape(__version__) + r"\+[0-9a-f]{12}", str(facts["nlgauge"]))


def test_all_metrics_together_encode_each_distinct_text_once_and_give_what_each_gives_alone(corpus: Corpus) -> None:
    others = {"InfoLM", "Perplexity", "MaskEval", "Faithfulness", "BARTScore"}  # masked, in pairs, or of others
    kinds = registry.built_in_metrics().items()
    kinds = {name: kind for name, kind in kinds if name not in others and not kind.subject}
    names = [
        name
        for name, kind in kinds.items()
        if "context" not in kind().columns and not lacking(kind().libraries)  # no row has a context
    ]
    table = nlgauge.evaluate(corpus, metrics=names)
    texts = {text for row in corpus for text in (row.candidate, *row.references, row.source, row.context)} - {None}
    ledger = table.spent["models"]["pocket"]
    assert ledger["passes"] == ledger["texts"] == len(texts)
    for name in names:
        alone = nlgauge.evaluate(corpus, metrics=name).column(name).values
        np.testing.assert_allclose(table.column(name).values, alone, rtol=1e-4, atol=1e-5)


def test_metrics_of_strings_load_no_model(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(loading, "load", refused)
    table = nlgauge.evaluate(corpus, metrics=["Length", "TokenF1", "CopyRate(ngram=2)"], model="some-model")
    assert table.metrics == ["Length", "TokenF1", "CopyRate(ngram=2)"]
    assert table.spent["models"] == {}
    signature = str(table.signatures["Length"])
    assert re.fullmatch(
        rf"Length\|unit:words\|unicode:[\d.]+\|nlgauge:{re.escape(__version__)}\+[0-9a-f]{{12}}", signature
    )
    assert table.values("Length").tolist() == [len(row.candidate.split()) for row in corpus]
    with pytest.raises(SpecError, match="no parameter 'model'"):
        nlgauge.evaluate(corpus, metrics="Length(model='pocket')")
    table.save(tmp_path / "scores.jsonl")
    assert same(ScoreTable.load(tmp_path / "scores.jsonl").by_system(), table.by_system())


def test_a_metric_whose_library_is_absent_names_the_extra() -> None:
    code = """
import sys
sys.modules.update(dict.fromkeys(("snowballstemmer", "rapidfuzz")))
import nlgauge
for metric in ("TER", "METEOR", "WER", "CER"):
    try:
        nlgauge.evaluate(candidates=["a"], references=["a"], sources=["a"], metrics=metric)
    except nlgauge.MissingExtraError as error:
        assert "nlgauge[strings]" in str(error), error
        print(metric)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["TER", "METEOR", "WER", "CER"]


def test_errors_survive_the_way_between_processes() -> None:
    missing = pickle.loads(pickle.dumps(nlgauge.MissingExtraError("METEOR", "strings")))
    assert (str(missing), missing.extra) == (str(nlgauge.MissingExtraError("METEOR", "strings")), "strings")
    wrong = pickle.loads(pickle.dumps(InputError("is odd", row=3, remedy="even it")))
    assert (str(wrong), wrong.row, wrong.remedy) == ("row 3: is odd (even it)", 3, "even it")


def test_a_second_run_takes_all_from_the_cache_and_writes_the_same_file(corpus: Corpus, tmp_path: Path) -> None:
    metrics = ["InfoLM", "BERTScore", "MarkEvaluate", "TokenF1", "CIDEr(tokenizer='spaces')"]
    options: dict[str, Any] = {"metrics": metrics, "evidence": True, "cache": tmp_path / "cache"}
    tables = [nlgauge.evaluate(corpus, **options) for _ in range(2)]
    for number, table in enumerate(tables):
        table.save(tmp_path / f"{number}.jsonl")
    assert tables[0].spent["models"]["pocket"]["passes"] > 0
    assert tables[1].spent["models"]["pocket"]["features"].keys() <= {"VectorsRequest"}  # of the sets
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()


def test_columns_of_records_are_named() -> None:
    records = [{"prediction": "A cat sat.", "target": "The cat sat.", "model": "A"}]
    names = {"candidate": "prediction", "references": "target", "system": "model"}
    table = nlgauge.evaluate(records, columns=names, metrics="TokenF1", cache=False)
    assert (table.systems, table.values("TokenF1").tolist()) == (["A"], [1.0])
    with pytest.raises(SpecError, match="columns names those of records"):
        nlgauge.evaluate(candidates=["A cat sat."], columns=names, metrics="TokenF1", cache=False)


RECORDS = [
    {"system": "a", "item": "1", "candidate": None, "references": ["The ferry came late."]},
    {"system": "b", "item": "1", "candidate": None, "references": ["The ferry came late."]},
    {"system": "a", "item": "2", "candidate": "It was full.", "references": ["It was very full."]},
    {"system": "a", "item": "3", "candidate": "The ferry was late.", "references": ["The ferry came late."]},
]
METRICS = ["TokenF1", "BLEU", "CIDEr", "Length"]


def test_rows_without_a_candidate_have_no_value_and_a_reason(tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu", reason="needs nlgauge[strings]")
    table = nlgauge.evaluate(RECORDS, metrics=METRICS, on_missing="skip", cache=False)
    alone = nlgauge.evaluate(RECORDS[2:], metrics=METRICS, cache=False)
    assert table.rows == [(one["system"], one["item"]) for one in RECORDS]
    for spec in METRICS:
        assert table[spec][2:].tolist() == alone[spec].tolist()
        assert all(map(math.isnan, table[spec][:2])) and table.columns[spec].reasons == {
            0: NO_CANDIDATE,
            1: NO_CANDIDATE,
        }
        ours, own = table.by_system()[0], alone.by_system()[0]
        assert (ours.mean, ours.low, ours.n, ours.undefined) == (own.mean, own.low, own.n, 1)
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl") == table


def test_they_are_an_error_unless_asked_for() -> None:
    with pytest.raises(InputError, match="row 1: candidate is"):
        nlgauge.evaluate(RECORDS, metrics="TokenF1", cache=False)
    with pytest.raises(InputError, match="no row has a candidate"):
        nlgauge.evaluate(RECORDS[:2], metrics="TokenF1", on_missing="skip", cache=False)
    table = nlgauge.evaluate(
        candidates=[None, "A cat."], references=["A cat."] * 2, metrics="TokenF1", on_missing="skip", cache=False
    )  # type: ignore[list-item]
    assert table["TokenF1"].tolist()[1] == 1.0
    corpus = Corpus.from_records(RECORDS, on_missing="skip")
    with pytest.raises(SpecError, match="a run in blocks"):
        nlgauge.evaluate(corpus, metrics="TokenF1", rows_per_block=2, cache=False)
