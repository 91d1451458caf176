"""The original packages beside nlgauge, on the same random weights: `make detectors`, in an environment of its own.

The rules of nltk for sentences are on no package index: both sides split by those of nlgauge.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from tests.engine.models.detectors import KINDS, write


def original(module: str) -> Any:
    """Return a module. Where it is not installed the test is skipped, but under `make detectors` it fails."""
    if os.environ.get("NLGAUGE_DETECTORS"):
        return import_module(module)
    return pytest.importorskip(module, reason="needs `make detectors`")


original("torch")

SENTENCES = [
    "The bridge over the river was closed on Monday after inspectors found rust.",
    "Two hundred workers lost jobs.",
    "Nobody was hurt in the storm, and rain fell for a week.",
]
CLAIMS = ["The bridge was closed on Tuesday.", "Two trains were late, and one never came at all."]
SOURCE, ANSWER = " ".join(SENTENCES), " ".join(CLAIMS)


def probability(name: str, **row: str) -> float:
    table = nlgauge.evaluate([row], metrics="Faithfulness", model=name, cache=False)
    return float(next(iter(table.columns.values())).values[0, 0])


@pytest.mark.parametrize("kind", [kind for kind, (prefix, _) in KINDS.items() if prefix == "nli"])
def test_cross_encoder_of_sentence_transformers(kind: str, tmp_path: Path) -> None:
    cross_encoder = original("sentence_transformers").CrossEncoder
    name = write(tmp_path, kind)
    pairs = [(SOURCE, claim) for claim in CLAIMS]
    made = cross_encoder(str(tmp_path), device="cpu")
    if kind == "nli-logit":
        wanted = made.predict(pairs)  # a sigmoid, for one logit
    else:
        wanted = made.predict(pairs, apply_softmax=True)[:, 2 if kind == "nli-roberta" else 0]
    found = [probability(name, candidate=claim, source=SOURCE) for claim in CLAIMS]
    assert found == pytest.approx(np.asarray(wanted), abs=1e-6)


@pytest.mark.parametrize("question", [None, "What was closed?"])
def test_lettucedetect(question: str | None, tmp_path: Path) -> None:
    detector = original("lettucedetect.models.inference").HallucinationDetector
    name = write(tmp_path, "lettuce")
    made = detector(method="transformer", model_path=str(tmp_path), device="cpu")
    more = {} if question is None else {"question": question}
    tokens = made.predict([SOURCE], ANSWER, question)[:-1]
    found = probability(name, candidate=ANSWER, source=SOURCE, **more)
    assert found == pytest.approx(1 - max(token["prob"] for token in tokens), abs=1e-6)

    published = original("nlgauge_lab.metrics.published.detectors")
    metric = published.LettuceDetect(passages="lines", model=name)
    row = {"candidate": ANSWER, "source": "\n".join(SENTENCES), **more}
    values = next(iter(nlgauge.evaluate([row], metrics=metric, cache=False).columns.values())).values[0]
    tokens = made.predict(SENTENCES, ANSWER, question)[:-1]  # the last is the token after the answer
    wanted = 1 - max(token["prob"] for token in tokens), np.mean([token["pred"] for token in tokens])
    assert values == pytest.approx(wanted, abs=1e-6)


def test_lettucedetect_in_groups_of_passages(tmp_path: Path) -> None:
    detector = original("lettucedetect.models.inference").HallucinationDetector
    published = original("nlgauge_lab.metrics.published.detectors")
    name = write(tmp_path, "lettuce")
    passages = SENTENCES * 100
    made = detector(method="transformer", model_path=str(tmp_path), device="cpu")
    assert len(made.detector._group_passages_into_chunks(passages, None, ANSWER)) > 1
    tokens = made.predict(passages, ANSWER)[:-1]
    row = {"candidate": ANSWER, "source": "\n".join(passages)}
    metric = published.LettuceDetect(passages="lines", model=name)
    values = next(iter(nlgauge.evaluate([row], metrics=metric, cache=False).columns.values())).values[0]
    assert values[0] == pytest.approx(1 - max(token["prob"] for token in tokens), abs=1e-6)


def test_summac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summac = original("summac.model_summac")
    published = original("nlgauge_lab.metrics.published.detectors")
    name = write(tmp_path, "nli-roberta")
    facts = {"model_card": str(tmp_path), "entailment_idx": 2, "contradiction_idx": 0}
    monkeypatch.setitem(summac.model_map, "ours", facts)
    made = summac.SummaCZS("ours", granularity="sentence", imager_load_cache=False, device="cpu")
    made.imager.load_nli()
    splitter = made.imager.tokenizer

    def batch(pairs, truncation_strategy: str, **more):  # transformers 5 has one name for it
        firsts, seconds = zip(*pairs, strict=True)
        return splitter(list(firsts), list(seconds), **{**more, "truncation": truncation_strategy})

    monkeypatch.setattr(splitter, "batch_encode_plus", batch, raising=False)
    sentences = {SOURCE: SENTENCES, ANSWER: CLAIMS}
    monkeypatch.setattr(made.imager, "split_sentences", lambda text: [one for one in sentences[text] if len(one) > 10])
    wanted = made.score([SOURCE], [ANSWER])["scores"]
    metric = published.SummaCZS(splitter="nlgauge", model=name)
    row = {"candidate": ANSWER, "source": SOURCE}
    values = next(iter(nlgauge.evaluate([row], metrics=metric, cache=False).columns.values())).values[0]
    assert values == pytest.approx(wanted, abs=1e-6)
