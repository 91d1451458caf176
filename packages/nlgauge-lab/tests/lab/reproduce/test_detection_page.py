"""The detection page, of numbers of our own."""

from __future__ import annotations

import math

from nlgauge_lab.reproduce.detecting import Found, Tried
from nlgauge_lab.reproduce.detection_page import page, section
from nlgauge_lab.studies.probes import Area, ProbeResult, Probes

TEXTS = {"auc": 0.8, "f1": 0.6, "best_f1": 0.7, "threshold": 0.4}
WORDS = {"auc": 0.9, "f1": 0.5, "best_f1": 0.55, "threshold": 0.3}


def found(metric: str, model: str, part: str = "score", **texts: float) -> Found:
    words = WORDS if model and part == "score" else None
    return Found(metric, part, model, {**TEXTS, **texts}, 0.75, 0.85, words, 0)


D = "Faithfulness"
RAGTRUTH = Tried(
    "ragtruth_qa.test",
    1000,
    200,
    (
        found(D, "pocket@1234"),
        found(D, "pocket@1234", "probability", auc=0.82),
        found(D, "base@5678", best_f1=0.75),
        found("CopyRate", "", auc=0.6, f1=math.nan)._replace(undefined=3),
    ),
    {"Consistency(aligner='R')": "model 'base' has no aligner"},
)


def test_a_line_a_part_and_the_published_figures_beside_them() -> None:
    text = page([RAGTRUTH], ["summedits.test"], None, 1000)
    assert "Not here: summedits.test, whose data were not at hand." in text
    assert f"| `{D}` score | pocket@1234 | .800 [.75, .85] | .700 | .600 | .550 | .500 |" in text
    assert f"| `{D}` probability | pocket@1234 | .820 [.75, .85] | .700 | .600 | - | - |" in text
    assert "| `CopyRate` (3 of 1,000 rows without a number) |  | .600 [.75, .85] | .700 | - | - | - |" in text
    assert "| every text flagged | | .500 | .333 | .333 | | |" in text
    assert "No number: `Consistency(aligner='R')`: model 'base' has no aligner." in text
    assert "| LettuceDetect base (149 M) | about .655 | all of RAGTruth's training part, from memory |" in text
    assert "| GPT-4 | .634 | not noted |" in text
    assert "Only the first" not in text and "Only the first 5 rows" in page([RAGTRUTH], [], 5, 10)


def test_a_line_for_each_result_and_one_by_kind_of_error():
    nan = float("nan")
    alone = ProbeResult(
        "M", "score", "pocket", "source", Area(0.8, 0.7, 0.9), Area(0.25, nan, nan), {"number": 0.9}, 0.5, nan, 0
    )
    twin, other = Area(0.7, 0.6, 0.8), Area(0.2, 0.1, 0.3)
    kinds = {"number": 0.5, "answer": 0.4}
    asked = ProbeResult("M", "score", "pocket", "question", twin, other, kinds, 1, 0.75, 0)
    lines = section(Probes((alone, asked), 60, 240, (), {}))
    assert "240 statements of our own about 60 sources" in "\n".join(lines)
    assert "| `M` | pocket | source | .80 [.70, .90] | .25 | 50 % | - |" in lines
    assert "| `M` | pocket | question | .70 [.60, .80] | .20 [.10, .30] | 100 % | 75 % |" in lines
    (by_kind,) = [line for line in lines if line.startswith("| `M` | pocket | .90")]
    assert by_kind.split(" | ")[2:] == [".90", *["-"] * 10, ".40 |"]
