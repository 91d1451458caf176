"""SummaC-ZS, MiniCheck and LettuceDetect, written out literally over one call of the network for each pair."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import nlgauge  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from nlgauge_lab.metrics.published.detectors import LettuceDetect, MiniCheck, SummaCZS  # noqa: E402
from tests.engine.models.detectors import write  # noqa: E402

SENTENCES = ["The bridge over the river was closed on Monday.", "Two trains were late.", "Nobody was hurt at all."]
SOURCE = " ".join(SENTENCES)
CLAIMS = ["The bridge was closed on Tuesday.", "Two trains were late, and one never came."]


def value(metric: nlgauge.metrics.Metric, **row: str) -> tuple[float, ...]:
    table = nlgauge.evaluate([row], metrics=metric, cache=False)
    return tuple(next(iter(table.columns.values())).values[0].tolist())


def softmax(folder: str, *texts: str) -> np.ndarray:
    splitter = transformers.AutoTokenizer.from_pretrained(folder)
    net = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        return torch.softmax(net(**splitter(*texts, return_tensors="pt")).logits[0], -1).numpy()


def test_summac_is_the_mean_of_the_largest_entailment_less_the_largest_contradiction(tmp_path) -> None:
    name = write(tmp_path, "nli-roberta")  # contradiction, neutral, entailment
    image = np.array([[softmax(str(tmp_path), source, claim) for source in SENTENCES] for claim in CLAIMS])
    wanted = (image[:, :, 2].max(1) - image[:, :, 0].max(1)).mean()
    metric = SummaCZS(splitter="nlgauge", model=name)
    assert value(metric, candidate=" ".join(CLAIMS), source=SOURCE) == pytest.approx((wanted,), abs=1e-6)
    assert value(metric, candidate="Rain.", source=SOURCE) == (0.0,)  # no sentence of more than 10 characters
    with pytest.raises(SpecError, match=r"is for models of minicheck: and .* is of nli:"):
        value(MiniCheck(splitter="nlgauge", model=name), candidate="A.", source=SOURCE)


def test_minicheck_is_the_largest_over_chunks_of_sentences(tmp_path) -> None:
    name = write(tmp_path, "minicheck-roberta")
    lines = [" ".join(SENTENCES * 30), SENTENCES[1] * 3]
    splitter = transformers.AutoTokenizer.from_pretrained(tmp_path)
    pieces = [*SENTENCES * 30, "\n", *[one + "." for one in lines[1].split(".") if one]]
    chunks: list[list[str]] = [[]]
    total = 0
    for piece in pieces:
        size = len(splitter(piece, add_special_tokens=False)["input_ids"])
        if total + size > 400:
            chunks.append([])
            total = 0
        chunks[-1].append(piece)
        total += size
    assert len(chunks) > 1
    texts = [" ".join(chunk).replace(" \n ", "\n").strip() for chunk in chunks]
    claim = " ".join(CLAIMS)
    wanted = max(softmax(str(tmp_path), f"{text}</s>{claim}")[1] for text in texts if text)
    metric = MiniCheck(splitter="nlgauge", model=name)
    source = f"{lines[0]}\n" + " ".join(one + "." for one in lines[1].split(".") if one)
    assert value(metric, candidate=claim, source=source) == pytest.approx((wanted,), abs=1e-6)


def test_lettucedetect_numbers_passages_and_takes_the_worst_token(tmp_path) -> None:
    name = write(tmp_path, "lettuce")
    splitter = transformers.AutoTokenizer.from_pretrained(tmp_path)
    net = transformers.AutoModelForTokenClassification.from_pretrained(tmp_path).eval()
    prompt = "Summarize the following text:\n" + "\n".join(
        f"passage {number}: {one}" for number, one in enumerate(SENTENCES, 1)
    )
    with torch.no_grad():
        logits = net(**splitter(f"{prompt}\noutput:", CLAIMS[0], return_tensors="pt")).logits[0]
    own = len(splitter(CLAIMS[0], add_special_tokens=False)["input_ids"])
    wrong = torch.softmax(logits, -1)[-own - 1 : -1, 1].numpy()
    found = value(LettuceDetect(passages="lines", model=name), candidate=CLAIMS[0], source="\n".join(SENTENCES))
    assert found == pytest.approx((1 - wrong.max(), (wrong > 0.5).mean()), abs=1e-6)
