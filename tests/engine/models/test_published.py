"""Checkpoints are known by what they are: their weights, their name in any spelling, or their sizes."""

import json
from pathlib import Path

import pytest

from nlgauge.engine.models import published as registry
from nlgauge.engine.models.published import published
from tests.engine.fake import WORDS, save_tokenizer
from tests.metrics.pieces import prepared, row, scored

BERT = {
    "model_type": "bert",
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "vocab_size": 30522,
}
LARGE = {
    "model_type": "roberta",
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "vocab_size": 50265,
}
OTHER = {**BERT, "hidden_size": 640}
WEIGHTS = "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"


def layer(source, sizes, digest="00" * 32):
    """The layer for BERTScore, and how the checkpoint was found."""
    found = published(str(source), digest, sizes)
    return None if found is None else (found.facts["layers"]["BERTScore"], found.by)


@pytest.mark.parametrize("hub", ["models--bert-base-uncased", "models--google-bert--bert-base-uncased"])
def test_a_snapshot_in_the_hubs_cache_is_known_by_name(hub, tmp_path):
    folder = tmp_path / hub / "snapshots" / "86b5e0934494"
    folder.mkdir(parents=True)
    assert layer(folder, BERT) == layer(f"{folder}/", BERT) == (9, "name")


def test_a_renamed_folder_is_known_by_its_sizes_or_weights(tmp_path):
    assert layer(tmp_path, BERT) == (9, "config") and layer(tmp_path, LARGE) == (17, "config")
    assert layer(tmp_path, OTHER, WEIGHTS) == (9, "digest")


def test_the_published_layers():
    expected = {
        "bert-base-uncased": 9,
        "bert-large-uncased": 18,
        "roberta-base": 10,
        "roberta-large": 17,
        "distilbert-base-uncased": 5,
        "xlm-roberta-base": 9,
        "xlm-roberta-large": 17,
        "microsoft/deberta-base": 9,
        "microsoft/deberta-large": 16,
        "microsoft/deberta-xlarge": 18,
        "microsoft/deberta-xlarge-mnli": 40,
        "bert-base-multilingual-cased": 9,
        "albert-base-v2": 9,
        "albert-xxlarge-v2": 8,
    }
    known = registry._published_checkpoints()
    assert {name: known[name]["layers"]["BERTScore"] for name in expected} == expected
    assert known["roberta-large"]["baseline"][17] == [0.831506, 0.831494, 0.831226]
    equal = [json.dumps(facts["config"]) for facts in known.values() if "config" in facts]
    assert len(set(equal)) == len(equal)
    for facts in known.values():
        rows = facts.get("baseline")
        assert rows is None or (len(rows) > max(facts["layers"].values()) and all(len(one) == 3 for one in rows))


# ---- In a run, with a network so small that it is no burden

TINY = {
    "model_type": "bert",
    "hidden_size": 16,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "vocab_size": len(WORDS),
}
FACTS = {
    "layers": {"BERTScore": 2, "CTC": 1, "MoverScore": 3},
    "temperature": 0.5,
    "config": TINY,
    "baseline": [[0.1, 0.1, 0.1]] * 5,
}


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Loads the same network from a folder of any name; the registry knows it as bert-tiny."""
    pytest.importorskip("torch", reason="needs nlgauge[torch]")
    transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")
    from nlgauge.engine.models.loading import load

    monkeypatch.setattr(registry, "_FACTS", tmp_path / "facts.json")
    (tmp_path / "facts.json").write_text(
        json.dumps({"homes": {"bert-": "google-bert"}, "checkpoints": {"bert-tiny": FACTS}}), encoding="utf-8"
    )
    for cached in (registry._published_checkpoints, registry._by_name):
        cached.cache_clear()

    def opened(name: str, vocabulary: int = len(WORDS)):
        transformers.set_seed(3)
        sizes = {**{key: size for key, size in TINY.items() if key != "model_type"}, "vocab_size": vocabulary}
        config = transformers.BertConfig(
            **sizes, intermediate_size=32, max_position_embeddings=40, initializer_range=0.5
        )
        transformers.BertForMaskedLM(config).save_pretrained(tmp_path / name)
        save_tokenizer(tmp_path / name, model_max_length=40)
        return load(str(tmp_path / name))

    yield opened
    for cached in (registry._published_checkpoints, registry._by_name):
        cached.cache_clear()


def test_metrics_take_the_published_settings_and_name_where_they_are_from(checkpoint):
    from nlgauge.metrics.baryscore import BaryScore
    from nlgauge.metrics.bertscore import BERTScore
    from nlgauge.metrics.ctc import Consistency
    from nlgauge.metrics.infolm import InfoLM
    from nlgauge.metrics.movers import MoverScore

    published = pytest.importorskip("nlgauge_lab.metrics.published.ctc", reason="needs nlgauge-lab")

    numbers = []
    for name, by in (("bert-tiny", "name"), ("BERT-Tiny", "name"), ("anything", "config")):
        model, source = checkpoint(name), f"bert-tiny by {by}"
        facts = prepared(BERTScore(rescale=True), model=model).facts
        assert (facts["layer"], facts["layer_from"]) == (2, source)
        assert (facts["baseline"], facts["baseline_from"]) == ("0.100000,0.100000,0.100000", source)
        assert prepared(Consistency(), model=model).facts == {"layer": 1, "layer_from": source}
        assert prepared(published.Preservation(rescale="score"), model=model).facts["baseline_from"] == source
        assert prepared(MoverScore(layers=2, idf="none"), model=model).facts["layers"] == "2,3"
        assert prepared(MoverScore(layers=2, idf="none"), model=model).facts["layer_from"] == source
        assert prepared(BaryScore(layers=2, idf="none"), model=model).facts["layers"] == "3,4", "nothing is published"
        facts = prepared(InfoLM(idf="none"), model=model).facts
        assert (facts["temperature"], facts["temperature_from"]) == (0.5, source)
        numbers.append(scored(BERTScore(), [row("w1 w2 w3", "w2 w4")], model)[0].parts)
        asked = prepared(BERTScore(layer=4), model=model).facts
        assert asked["layer"] == 4 and "layer_from" not in asked
        assert numbers[-1] == scored(BERTScore(layer=2), [row("w1 w2 w3", "w2 w4")], model)[0].parts
    assert numbers[0] == numbers[1] == numbers[2]
