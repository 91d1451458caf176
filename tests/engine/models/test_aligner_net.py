"""The aligner's heads: matching by hand, and what padding and the other text may not change."""

import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from nlgauge.engine.models.aligner_net import AlignerNet, best_match, matched_layers  # noqa: E402
from nlgauge.engine.models.bert import Bert  # noqa: E402


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(1)
    config = {
        "vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16,
        "max_position_embeddings": 16, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    return AlignerNet(Bert(config)).eval()


def test_a_token_is_matched_with_the_most_similar_one_of_the_other_side():
    states = torch.tensor([[[2.0, 0.0], [0.0, 1.0], [3.0, 4.0], [0.0, -5.0]]])
    side = torch.tensor([[0, 0, 1, 1]])
    torch.testing.assert_close(best_match(states, side), torch.tensor([[0.6, 0.8, 1.0, 1.0]]))


def test_matched_are_the_middle_layer_and_the_last():
    assert tuple(matched_layers(7)) == (3, 6)
    assert tuple(matched_layers(3)) == (1, 2)


def test_padding_changes_nothing(net):
    ids = torch.tensor([[1, 5, 6, 2, 7, 8, 2]])
    side = torch.tensor([[0, 0, 0, 0, 1, 1, 1]])
    padded = (torch.nn.functional.pad(part, (0, 4)) for part in (ids, torch.ones_like(ids), side))
    with torch.no_grad():
        logits, share, text, against = net(ids, torch.ones_like(ids), side)
        wide, wide_share, wide_text, wide_against = net(*padded)
    assert logits.shape == (1, 7) and share.shape == text.shape == (1,) and 0 < share.item() < 1
    torch.testing.assert_close(wide[:, :7], logits, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(wide_share, share, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(wide_text, text, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(wide_against, against, atol=1e-5, rtol=1e-4)


def test_a_question_is_read_but_neither_judged_nor_matched(net):
    ids = torch.tensor([[1, 5, 6, 2, 9, 2, 7, 8, 2], [1, 5, 6, 2, 3, 2, 7, 8, 2]])
    side = torch.tensor([[0, 0, 0, 0, 2, 2, 1, 1, 1]] * 2)
    states = torch.randn(2, 9, 4)
    states[1, 4] = states[1, 1]  # the question's word is the text's own
    assert best_match(states, side)[1, 1] < 1
    with torch.no_grad():
        found = net(ids, torch.ones_like(ids), side)
        assert all((head[0] - head[1]).abs().max() > 1e-6 for head in found)


def test_all_heads_depend_on_the_other_text(net):
    ids = torch.tensor([[1, 5, 6, 2, 7, 8, 2], [1, 5, 6, 2, 9, 3, 2]])
    side = torch.tensor([[0, 0, 0, 0, 1, 1, 1]] * 2)
    with torch.no_grad():
        logits, share, text, against = net(ids, torch.ones_like(ids), side)
    assert (logits[0, :4] - logits[1, :4]).abs().max() > 1e-4
    assert abs(share[0] - share[1]) > 1e-5
    assert abs(text[0] - text[1]) > 1e-5
    assert abs(against[0] - against[1]) > 1e-6
