"""CTC's aligners D and R as in the released package, beside its inference written out over the network itself."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import nlgauge  # noqa: E402
from nlgauge.engine.english import is_stopword  # noqa: E402
from nlgauge.engine.models.convert import convert  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from nlgauge_lab.metrics.published.ctc_rows import longest_first, word_probabilities  # noqa: E402
from tests.engine.models.detectors import bert, roberta, scaled  # noqa: E402

SOURCE = (
    "The bridge over the river was CLOSED on Monday after inspectors found “rust”, and two hundred workers lost jobs."
)
TEXT = "The mayor’s BRIDGE was closed on Tuesday , wasn't it ?"
LONG = "Rain fell for a week; nobody was hurt in the storm, and the mayor said so. " * 30
ROWS = [
    {"candidate": TEXT, "source": SOURCE},
    {"candidate": "Rust.", "source": SOURCE},
    {"candidate": "Two  trains were late, and 14 never came — at all!", "source": LONG},
    {"candidate": LONG, "source": SOURCE},
    {"candidate": LONG + "The bridge.", "source": LONG},
]


class D:
    """The released package's aligner D, as its program reads a pair."""

    def __init__(self, splitter: Any, net: Any, layer: Any) -> None:
        self.splitter, self.net, self.layer = splitter, net, layer

    @staticmethod
    def clean(text: str) -> str:
        for curly, straight in zip("“”‘’", "\"\"''", strict=True):
            text = text.replace(curly, straight)
        held = text.replace("\n", "<newline>")
        return re.sub(r"\s+", " ", held).lower().replace("<newline>", "\n").strip()

    def words(self, text: str, context: str) -> tuple[list[str], list[float]] | None:
        text, context = self.clean(text), self.clean(context)
        # The library decoded so by default when the package was released.
        text = self.splitter.clean_up_tokenization(self.splitter.decode(self.splitter(text)["input_ids"][:256]))
        for token in (self.splitter.bos_token, self.splitter.eos_token, self.splitter.unk_token):
            text = text.replace(token, "")
        text = text.replace("  ", " ").strip(" ")
        words = text.split()
        pair = self.splitter(text, context, truncation="only_second", max_length=512, return_tensors="pt")
        with torch.no_grad():
            states = self.net(input_ids=pair["input_ids"], attention_mask=pair["attention_mask"]).last_hidden_state[0]
        pieces = self.splitter.convert_ids_to_tokens(self.splitter(text)["input_ids"])[1:-1]
        sums: list[Any] = []
        for at, piece in enumerate(pieces, 1):
            if not sums or piece.startswith("Ġ"):
                sums.append(states[at])
            else:
                sums[-1] = sums[-1] + states[at]
        if not words or len(sums) != len(words):
            return None
        with torch.no_grad():
            return words, torch.softmax(self.layer(torch.stack(sums)), -1)[:, 0].tolist()

    def mean(self, text: str, context: str) -> float:
        found = self.words(text, context)
        return math.nan if found is None else sum(found[1]) / len(found[1])

    def sum(self, text: str, context: str) -> float:
        found = self.words(text, context)
        return math.nan if found is None else sum(p for word, p in zip(*found, strict=True) if not is_stopword(word))


class R:
    """The released package's aligner R: the context first, the longer text cut."""

    def __init__(self, splitter: Any, net: Any, layer: Any) -> None:
        self.splitter, self.net, self.layer = splitter, net, layer

    def number(self, text: str, context: str) -> float:
        # The converted folder's tokenizer makes quotes straight, and the package's does not.
        text, context = (D.clean(one) for one in (text, context))
        pair = self.splitter(context, text, truncation="longest_first", max_length=512, return_tensors="pt")
        with torch.no_grad():
            return float(self.layer(self.net(**pair).pooler_output)[0, 0])


def layer_for(classes: int) -> Any:
    torch.manual_seed(1)
    return torch.nn.Linear(32, classes)


@pytest.fixture(scope="module")
def d(tmp_path_factory: pytest.TempPathFactory) -> tuple[D, str]:
    folder = tmp_path_factory.mktemp("d")
    splitter, config = roberta()
    torch.manual_seed(0)
    net, layer = scaled(transformers.RobertaModel(config)).eval(), layer_for(2)
    splitter.save_pretrained(folder / "roberta-large")
    net.save_pretrained(folder / "roberta-large")
    tensors = {f"_roberta.{name}": value for name, value in net.state_dict().items()}
    tensors |= {"_classifier.weight": layer.weight.detach(), "_classifier.bias": layer.bias.detach()}
    torch.save(tensors, folder / "doc_to_summ.ckpt")
    convert(folder / "doc_to_summ.ckpt", folder / "made", folder / "roberta-large")
    return D(splitter, net, layer), f"ctc:{folder / 'made'}"


def r_of(folder: Path, name: str) -> tuple[R, str]:
    splitter, config = bert()
    torch.manual_seed(0)
    net, layer = scaled(transformers.BertModel(config)).eval(), layer_for(1)
    splitter.save_pretrained(folder / "bert")
    net.save_pretrained(folder / "bert")
    tensors = {f"bert.{key}": value for key, value in net.state_dict().items()}
    torch.save(
        tensors | {"dense.weight": layer.weight.detach(), "dense.bias": layer.bias.detach()}, folder / f"{name}.ckpt"
    )
    convert(folder / f"{name}.ckpt", folder / "made", folder / "bert")
    return R(splitter, net, layer), f"ctc:{folder / 'made'}"


def scores(spec: str, model: str, rows: list[dict[str, Any]] = ROWS) -> list[float]:
    table = nlgauge.evaluate(rows, metrics=spec, model=model, cache=False)
    return [float(one) for one in next(iter(table.columns.values())).values[:, 0]]


def test_d_is_the_published_inference(d: tuple[D, str]) -> None:
    literal, model = d
    wanted = [literal.mean(row["candidate"], row["source"]) for row in ROWS]
    assert not any(map(math.isnan, wanted)) and max(wanted) - min(wanted) > 0.01
    assert scores("published/Consistency(aligner='D')", model) == pytest.approx(wanted, abs=1e-5)
    # One at a time, and in another order.
    alone = [scores("published/Consistency(aligner='D')", model, [row])[0] for row in ROWS[::-1]]
    assert alone == pytest.approx(wanted[::-1], abs=1e-6)
    assert scores("Consistency(aligner='D')", model) != pytest.approx(wanted, abs=1e-3)


def test_d_reads_the_first_255_sub_words_alone(d: tuple[D, str]) -> None:
    _, model = d
    spec = "published/Consistency(aligner='D')"
    rows = [{"candidate": LONG + end, "source": SOURCE} for end in ("", "Nobody was hurt.")]
    first, second = scores(spec, model, rows)
    assert first == second
    assert len(set(scores("Consistency(aligner='D')", model, rows))) == 2


def test_the_aspects_by_d(d: tuple[D, str]) -> None:
    literal, model = d
    row = {
        "candidate": TEXT,
        "source": " " + SOURCE,
        "context": "Rust was found in the bridge. ",
        "references": [SOURCE, "The bridge will open again."],
    }
    back = [literal.mean(one, TEXT) for one in row["references"]]
    there = literal.mean(TEXT, SOURCE)
    assert scores("published/Relevance(aligner='D')", model, [row])[0] == pytest.approx(there * np.mean(back), abs=1e-5)
    other = literal.mean(SOURCE, TEXT)
    wanted = 2 * there * other / (there + other)
    assert scores("published/Preservation(aligner='D')", model, [row])[0] == pytest.approx(wanted, abs=1e-5)
    knowledge = row["context"]
    found = scores("published/Groundedness(aligner='D')", model, [row])[0]
    assert found == pytest.approx(literal.sum(TEXT, knowledge), abs=1e-5)
    both = f"{knowledge.strip()}\n\n\n{SOURCE}"
    found = scores("published/Engagingness(aligner='D')", model, [row])[0]
    assert found == pytest.approx(literal.sum(TEXT, both), abs=1e-5)
    stops = {"candidate": "the of and", "source": SOURCE, "context": SOURCE}
    assert scores("published/Groundedness(aligner='D')", model, [stops]) == [0.0]


def test_where_the_package_gives_nothing_there_is_no_value(d: tuple[D, str]) -> None:
    literal, model = d
    rows = [{"candidate": text, "source": SOURCE} for text in ("A bridge.\nA mayor.", "", "…")]
    assert [math.isnan(literal.mean(row["candidate"], SOURCE)) for row in rows] == [True, True, False]
    table = nlgauge.evaluate(rows, metrics="published/Consistency(aligner='D')", model=model, cache=False)
    (column,) = table.columns.values()
    assert np.isnan(column.values[:, 0]).tolist() == [True, True, False]
    assert "its words are not those of its sub-words" in column.reasons[0]


@pytest.mark.parametrize("name", ["doc_to_summ", "summ_to_ref", "fact_to_response"])
def test_r_reads_the_context_first_whatever_it_was_trained_with(tmp_path: Path, name: str) -> None:
    literal, model = r_of(tmp_path, name)
    wanted = [literal.number(row["candidate"], row["source"]) for row in ROWS]
    assert scores("published/Consistency(aligner='R')", model) == pytest.approx(wanted, abs=1e-5)
    row = {"candidate": TEXT, "source": SOURCE, "context": SOURCE, "references": [SOURCE, "Rust."]}
    there = literal.number(TEXT, SOURCE)
    back = np.mean([literal.number(one, TEXT) for one in row["references"]])
    assert scores("published/Relevance(aligner='R')", model, [row])[0] == pytest.approx(there * back, abs=1e-5)
    # The number of the model is the score of a sum too.
    assert scores("published/Groundedness(aligner='R')", model, [row])[0] == pytest.approx(there, abs=1e-5)
    if name == "summ_to_ref":
        assert scores("Consistency(aligner='R')", model, [row])[0] != pytest.approx(there, abs=1e-3)


def test_the_longer_text_is_cut_as_the_library_cuts_it() -> None:
    splitter, _ = bert()
    for first in (1, 3, 4, 5, 9, 12):
        for second in (1, 3, 4, 5, 9, 12):
            pair = splitter("a " * first, "a " * second, truncation="longest_first", max_length=11)
            of = pair.sequence_ids(0)
            assert longest_first(first, second, 8) == (of.count(0), of.count(1)), (first, second)


def test_the_golden_words_are_those_of_summed_states() -> None:
    states = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]])
    weight, bias = np.array([[0.9, 0.4], [-0.3, 0.2]]), np.array([0.1, 0.0])
    logits = states @ (weight[0] - weight[1]) + bias[0] - bias[1]
    found = word_probabilities(logits, [[0, 1], [2]], bias[0] - bias[1])
    assert found == pytest.approx([0.8909031788, 0.5744425168], abs=1e-9)


def test_other_models_and_settings_are_refused(d: tuple[D, str]) -> None:
    _, model = d
    row = {"candidate": TEXT, "source": SOURCE}
    with pytest.raises(SpecError, match="model 'pocket' is no aligner of CTC: convert a released checkpoint"):
        nlgauge.evaluate([row], metrics="published/Consistency(aligner='D')", cache=False)
    with pytest.raises(SpecError, match="predicts no share of a text: choose aligner='D'"):
        scores("published/Consistency(aligner='R')", model, [row])
    with pytest.raises(SpecError, match="the published code cuts a long source; leave reading out"):
        scores("published/Consistency(aligner='D', reading='windows')", model, [row])
