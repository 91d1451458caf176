"""A T5 of random weights and a few pieces: gaps against `generate` and against the definition."""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import nlgauge  # noqa: E402
from nlgauge.engine.features.likelihood import Seq2SeqRequest  # noqa: E402
from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.features.masked_words import MaskedWordsRequest  # noqa: E402
from nlgauge.engine.features.vectors import VectorsRequest  # noqa: E402
from nlgauge.engine.models.capabilities import (  # noqa: E402
    ALIGNER,
    CAUSAL_LM,
    ENCODER,
    GAP_FILLER,
    MASKED_LM,
    MASKED_PAIRS,
    TOKENIZER,
)
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402
from tests.engine.fake import answers  # noqa: E402

SPECIAL = ["<pad>", "</s>", "<unk>"]
PIECES = ["▁", *"abcdefghijklmnopqrstuvwxyz.,!", "▁the", "▁cat", "▁sat", "ing", "▁on", "▁mat"]
GAPS = ["<extra_id_0>", "<extra_id_1>"]


def tiny_t5(folder, gaps=GAPS):
    """Sub-words are SentencePiece's, longest first; <extra_id_0> is 39, <extra_id_1> 40."""
    pieces = [(piece, 0.0) for piece in SPECIAL] + [(piece, -4.0 if len(piece) == 1 else -1.0) for piece in PIECES]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    tokenizer.add_special_tokens([*SPECIAL, *gaps])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "additional_special_tokens": gaps}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    config = transformers.T5Config(
        vocab_size=len(fast), decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, **shape
    )
    net = transformers.T5ForConditionalGeneration(config)
    with torch.no_grad():
        net.lm_head.weight.copy_(torch.randn_like(net.lm_head.weight))  # else it says what it is given
    net.save_pretrained(folder)
    return net.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("t5")


@pytest.fixture(scope="module")
def net(folder):
    return tiny_t5(folder)


@pytest.fixture(scope="module")
def model(folder, net):
    return load(str(folder))


def test_a_folder_with_sentinels_is_a_model_that_fills_gaps(model, folder):
    assert model[GAP_FILLER].sentinels == (39, 40)
    assert (model.window, model[ENCODER].width, model[ENCODER].layers) == (64, 16, 2)
    assert model[TOKENIZER].mask_id is None and model[TOKENIZER].suffix == [1] and not model[TOKENIZER].prefix
    assert model.digest == load(str(folder)).digest


def test_a_gap_is_filled_as_generate_fills_it(model, net):
    ids = np.array([[33, 39, 35, 1, 0], [39, 38, 1, 33, 1]])
    attend = (ids != 0).astype(np.int64)
    _, said = model[GAP_FILLER].fill(ids, attend, [[34], [33, 34]])
    for row in range(2):
        start = torch.tensor([[0, 39]])
        kept = torch.from_numpy(ids[row, attend[row] == 1])[None]
        written = net.generate(kept, decoder_input_ids=start, max_new_tokens=4, num_beams=1, do_sample=False)[0, 2:]
        written = [int(token) for token in written if int(token) not in (0, 1, 40)]
        assert said[row] == written[: len(said[row])] and len(said[row]) >= len(written[:1])


def test_log_probabilities_are_the_definition_and_padding_changes_nothing(model, net):
    ids = np.array([[33, 39, 35, 1, 0, 0], [39, 38, 35, 33, 33, 1]])
    attend = (ids != 0).astype(np.int64)
    truths = [[34, 5], [33]]
    logs, _ = model[GAP_FILLER].fill(ids, attend, truths)
    for row, truth in enumerate(truths):
        kept = torch.from_numpy(ids[row, attend[row] == 1])[None]
        total = 0.0
        for step, token in enumerate([*truth, 40]):
            given = torch.tensor([[0, 39, *truth[:step]]])
            with torch.no_grad():
                logits = net(input_ids=kept, decoder_input_ids=given).logits[0, -1].double()
            total += float(torch.log_softmax(logits, -1)[token])
        assert logs[row] == pytest.approx(total, abs=1e-4)
    alone, _ = model[GAP_FILLER].fill(ids[:1, :4], attend[:1, :4], truths[:1])
    assert alone[0] == pytest.approx(logs[0], abs=1e-5)


def test_words_of_texts_are_asked_for_through_the_engine(model):
    text, other = "the cat sat on the mat.", "on the mat sat the cat"
    (found,) = answers(model, MaskedWordsRequest(text, other))
    assert [text[a:b] for a, b in found.spans] == ["the", "cat", "sat", "on", "the", "mat", "."]
    assert np.isfinite(found.log_probabilities).all() and (found.log_probabilities < 0).all()
    (alone,) = answers(model, MaskedWordsRequest(text, other, words=(1,)))
    assert alone.log_probabilities[0] == pytest.approx(found.log_probabilities[1], abs=1e-5)


def test_the_metric_runs_on_it_and_says_so(folder):
    rows = {"candidates": ["the cat sat.", "mat"], "sources": ["the cat sat on the mat", "the mat"]}
    table = nlgauge.evaluate(metrics="MaskEval(scoring='log_probability')", model=str(folder), **rows)
    (spec,) = table.columns
    assert np.isfinite(table.values(spec)).all() and "|words:sentinels|" in str(table.signatures[spec])


def test_what_it_cannot_do_it_says(model, tmp_path, net):
    with pytest.raises(SpecError, match="predicts no masked words"):
        answers(model, BagRequest("the cat", 1.0))
    assert not any(one in model for one in (MASKED_LM, MASKED_PAIRS, ALIGNER, CAUSAL_LM))
    (states,) = answers(model, VectorsRequest("the cat", (0, 2)))
    assert states.vectors.shape == (2, 3, 16)
    tiny_t5(tmp_path, gaps=["<a>", "<b>"])
    assert GAP_FILLER not in load(str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "t5"}))
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(SpecError, match="cannot load model"):
        load(str(tmp_path))


def test_a_text_is_written_as_the_loss_says(model, net):
    texts, other = ["the cat sat", "mat"], "on the mat."
    found = answers(model, *(Seq2SeqRequest(text, other) for text in texts))
    tokens = {text: [*model[TOKENIZER].encode([text])[0].ids.tolist(), 1] for text in [*texts, other]}
    for text, one in zip(texts, found, strict=True):
        with torch.inference_mode():
            loss = net(input_ids=torch.tensor([tokens[other]]), labels=torch.tensor([tokens[text]])).loss
        assert one.log_probabilities.mean() == pytest.approx(-float(loss), abs=1e-5)
        assert one.offsets[-1].tolist() == [len(text), len(text)]


def test_a_bart_writes_and_gives_vectors_of_its_encoder(tmp_path, net):
    """BART counts among the masked language models too; as such it would have no encoder to ask."""
    tiny_t5(tmp_path)
    torch.manual_seed(0)
    shape = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 1, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "max_position_embeddings": 48}
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 1}
    size = net.config.vocab_size
    bart = transformers.BartForConditionalGeneration(
        transformers.BartConfig(vocab_size=size, forced_eos_token_id=1, **shape, **heads, **special)
    ).eval()
    bart.save_pretrained(tmp_path)
    model = load(str(tmp_path))
    assert (model.window, model[ENCODER].layers, model[ENCODER].width) == (48, 2, 16) and MASKED_LM not in model
    (found,) = answers(model, Seq2SeqRequest("the cat", "on the mat"))
    labels, given = ([*model[TOKENIZER].encode([text])[0].ids.tolist(), 1] for text in ("the cat", "on the mat"))
    with torch.inference_mode():
        loss = bart(input_ids=torch.tensor([given]), labels=torch.tensor([labels])).loss
    assert found.log_probabilities.mean() == pytest.approx(-float(loss), abs=1e-5)
    (vectors,) = answers(model, VectorsRequest("the cat", (0, 2)))
    assert vectors.vectors.shape == (2, 3, 16)
