"""Agreement of string metrics with people, to the digits that recomputing published tables gave.

Where a table counted outputs without words as 0, so does empty='worst'.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row

pytest.importorskip("sacrebleu", reason="needs nlgauge[strings]")
pytest.importorskip("rouge_score_rs", reason="needs nlgauge[strings]")


def read(data: Path, name: str) -> Corpus:
    path = data / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {data}")
    return Corpus.read(path)


def agreements(
    rows: Corpus | list[Row],
    spec: str,
    aspects: list[str],
    level: str = "pooled",
    coefficient: str = "pearson",
    part: str | None = None,
) -> list[float]:
    rows = Corpus(tuple(rows))
    table = nlgauge.evaluate(rows, metrics=spec)
    found = nlgauge.correlate(table, rows, level=level, coefficient=coefficient, aspects=aspects, replicates=0)
    return [found.get(table.metrics[0], aspect, part).value for aspect in aspects]


def lines(text: str) -> str:
    return re.sub(r"(?<=[.!?])\s+", "\n", text)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (
            "ROUGE(variant='1', stemmer=True, references='sum')",
            {"consistency": 0.1809, "coherence": 0.2006, "fluency": 0.1483, "relevance": 0.3538},
        ),
        ("ROUGE(variant='2', stemmer=True, references='sum')", {"consistency": 0.1583}),
        ("ROUGE(variant='1', stemmer=True, references='mean')", {"consistency": 0.1744}),
        ("ROUGE(variant='1', stemmer=True)", {"consistency": 0.2132}),
        ("BLEU", {"consistency": 0.1245, "relevance": 0.2962}),
    ],
)
def test_summaries_with_eleven_references(data: Path, spec: str, wanted: dict[str, float]) -> None:
    got = agreements(read(data, "summeval"), spec, list(wanted))
    assert got == pytest.approx(list(wanted.values()), abs=6e-5)


def test_summaries_with_each_of_eleven_references_alone(data: Path) -> None:
    """What MaskEval's paper calls one reference."""
    rows = read(data, "summeval")
    spec = "ROUGE(variant='1', stemmer=True)"
    each = [
        agreements([replace(row, references=(row.references[at],)) for row in rows], spec, ["relevance"])[0]
        for at in range(11)
    ]
    assert sum(each) / 11 == pytest.approx(0.194, abs=6e-4)


def test_summaries_within_documents(data: Path) -> None:
    rows = [replace(row, references=row.references[:1]) for row in read(data, "summeval")]
    got = agreements(rows, "ROUGE(variant='1', stemmer=True)", ["relevance"], "item")
    assert got == pytest.approx([0.2801], abs=6e-5)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("ROUGE(variant='1', stemmer=True)", [0.5368, 0.4177, 0.7283]),
        ("Length", [0.1455, 0.0207, 0.3189]),
        ("Length(unit='characters')", [0.1266, 0.0202, 0.2995]),
    ],
)
def test_simplifications(data: Path, spec: str, wanted: list[float]) -> None:
    got = agreements(read(data, "asset"), spec, ["fluency", "simplicity", "meaning"])
    assert got == pytest.approx(wanted, abs=6e-5)


def test_length_of_summaries(data: Path) -> None:
    got = agreements(read(data, "summeval"), "Length", ["consistency", "coherence", "fluency", "relevance"])
    assert got == pytest.approx([0.1027, 0.0774, -0.0007, 0.2566], abs=6e-5)


@pytest.mark.parametrize(
    ("spec", "part", "wanted"),
    [
        ("BLEU(references='mean', empty='worst')", "score", [0.557, 0.893, 0.628, 0.883, 0.661]),
        (
            "ROUGE(variant='1', references='mean', stemmer=True, empty='worst')",
            "recall",
            [0.610, 0.764, 0.645, 0.754, 0.653],
        ),
        ("TER(references='mean', empty='worst')", "score", [0.700, 0.932, 0.771, 0.916]),
    ],
)
def test_texts_from_data_by_system(data: Path, spec: str, part: str, wanted: list[float]) -> None:
    if spec.startswith("TER"):
        pytest.importorskip("rapidfuzz", reason="needs nlgauge[strings]")
    aspects = ["data_coverage", "fluency", "relevance", "text_structure", "correctness"][: len(wanted)]
    assert agreements(read(data, "webnlg2020"), spec, aspects, "system", part=part) == pytest.approx(wanted, abs=6e-4)


@pytest.mark.parametrize(
    ("variant", "coefficient", "wanted"),
    [
        ("1", "spearman", 0.4978),
        ("1", "kendall", 0.4078),
        ("2", "spearman", 0.4235),
        ("2", "kendall", 0.3536),
        ("Lsum", "spearman", 0.4883),
    ],
)
def test_summaries_of_news_within_documents(data: Path, variant: str, coefficient: str, wanted: float) -> None:
    rows = [row for row in read(data, "realsumm_abs") if row.system != "bart_out"]
    rows += list(read(data, "realsumm_ext"))
    if variant == "Lsum":
        rows = [
            replace(row, candidate="\n".join(row.extra["meta"]["sentences"]), references=(lines(row.references[0]),))
            for row in rows
        ]
    spec = f"ROUGE(variant='{variant}', stemmer=True)"
    assert agreements(rows, spec, ["litepyramid_recall"], "item", coefficient, "recall") == pytest.approx(
        [wanted], abs=6e-5
    )


def test_corpus_bleu_of_the_challenge(data: Path) -> None:
    wanted = {"Amazon_AI_(Shanghai)": 53.98, "OSU_Neural_NLG": 53.52, "FBConvAI": 52.67}
    rows = [row for row in read(data, "webnlg2020_full_outputs") if row.system in wanted]
    table = nlgauge.evaluate(Corpus(tuple(rows)), metrics="BLEU")
    assert {score.system: round(score.mean, 2) for score in table.by_system()} == wanted
