"""What is known about a model is read from its folder; what nobody measured changes nothing."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.models.card import ModelCard, read_card, write_facts
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.errors import SpecError


def test_the_embedded_model_has_all_facts():
    card = read_card(pocket_folder())
    table = card.document_frequencies
    assert table.counts.shape == (30522,)
    assert table.counts.min() >= 0 and table.counts.max() <= table.documents
    assert table.counts[1996] > table.documents / 2, "'the' stands in most passages"
    assert 0.5 <= card.temperature <= 4
    assert set(card.bertscore_baseline) == set(range(7))
    assert 0 < card.aligner_threshold < 1 and card.aligner_threshold != 0.5


def test_a_folder_without_facts_has_none(tmp_path):
    assert read_card(tmp_path) == ModelCard() == read_card(tmp_path / "nowhere")
    assert (
        ModelCard().temperature == 1.0
        and ModelCard().document_frequencies is None
        and not ModelCard().bertscore_baseline
    )


def test_what_is_written_is_read_and_what_was_there_stays(tmp_path):
    write_facts(tmp_path, temperature=1.5, layers={"BERTScore": 3})
    write_facts(tmp_path, bertscore_baseline={"2": [0.1, 0.2, 0.3]}, temperature=2.5)
    np.save(tmp_path / "document_frequencies.npy", np.array([9, 4, 0, 7], np.int32))
    facts = {"aligner.threshold": np.array([0.25], np.float32), "aligner.temperature": np.array([1.75], np.float32)}
    save_file(facts, tmp_path / "aligner.safetensors")
    card = read_card(tmp_path)
    assert card.aligner_temperature == 1.75
    assert (card.temperature, card.layers) == (2.5, {"BERTScore": 3})
    assert card.bertscore_baseline == {2: (0.1, 0.2, 0.3)} and card.aligner_threshold == 0.25
    assert card.document_frequencies.documents == 9
    np.testing.assert_array_equal(card.document_frequencies.counts, [4, 0, 7])
    save_file({"aligner.whole": np.ones(1, np.float32)}, tmp_path / "aligner.safetensors")
    card = read_card(tmp_path)
    assert (card.aligner_threshold, card.aligner_temperature) == (0.5, 1.0)


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"temperature": []}), json.dumps({"layers": {"a": "b"}})])
def test_a_card_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "card.json").write_text(content, encoding="utf-8")
    with pytest.raises(SpecError, match="card of a model"):
        read_card(tmp_path)
