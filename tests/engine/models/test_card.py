"""What is known about a model is read from its folder; what nobody measured changes nothing."""

import numpy as np
from safetensors.numpy import save_file

from nlgauge.engine.models.card import read_card, write_facts


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
