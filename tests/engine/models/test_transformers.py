"""The torch backend against the torch-free one, against plain transformers calls, and on other architectures."""

import numpy as np
import pytest
from tokenizers import processors

from tests.engine.fake import WORDS, answers, save_tokenizer, tiny_tokenizer

torch = pytest.importorskip("torch", reason="the torch backend needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="the torch backend needs nlgauge[torch]")

from nlgauge.engine.features.likelihood import CausalRequest  # noqa: E402
from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.features.masked_words import MaskedWordsRequest  # noqa: E402
from nlgauge.engine.features.pair_states import PairStatesRequest  # noqa: E402
from nlgauge.engine.features.vectors import VectorsRequest  # noqa: E402
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM, SEQ2SEQ_LM, TOKENIZER  # noqa: E402
from nlgauge.engine.models.folder import write_hugging_face  # noqa: E402
from nlgauge.engine.models.loading import load, pocket_folder  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402

TEXTS = ["Rain.", "The bridge over the river was closed for a week.", "雨が降る", "Fill the [MASK] with a word, 👩‍👧!"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pocket") / "hf"
    write_hugging_face(pocket_folder(), folder)
    return folder


def test_both_backends_agree_on_the_embedded_model():
    requests = [
        request for t in TEXTS for request in (BagRequest(t, 1.0), BagRequest(t, 0.25), VectorsRequest(t, (0, 3, 6)))
    ]
    with_onnx, with_torch = (load("pocket", backend=backend) for backend in ("onnxruntime", "torch"))
    assert with_onnx.digest == with_torch.digest and with_onnx.window == with_torch.window
    assert with_onnx[TOKENIZER].digest == with_torch[TOKENIZER].digest
    for one, two in zip(answers(with_onnx, *requests), answers(with_torch, *requests), strict=True):
        if hasattr(one, "vectors"):
            np.testing.assert_allclose(one.vectors, two.vectors, atol=1e-4)
        else:
            np.testing.assert_allclose(np.exp(one.log_probabilities), np.exp(two.log_probabilities), atol=1e-4)
            np.testing.assert_allclose(one.log_probabilities, two.log_probabilities, atol=2e-3)


def test_no_part_of_a_checkpoint_looks_at_what_pads_a_row(exported):
    model = load(str(exported))
    ids = np.array([[101, 2009, 103, 2012, 102]])
    wide = np.concatenate([ids, np.full((1, 4), 2054)], axis=1)  # a word, so that one who looks sees something
    attend, at = (np.arange(wide.shape[1]) < 5).astype(np.int64)[None], np.array([2])
    alone = model[ENCODER].hidden(ids, np.ones_like(ids), [6])
    np.testing.assert_allclose(model[ENCODER].hidden(wide, attend, [6])[:, :, :5], alone, atol=1e-4)
    logits = model[MASKED_LM].masked_logits(ids, np.ones_like(ids), at)
    np.testing.assert_allclose(model[MASKED_LM].masked_logits(wide, attend, at), logits, atol=1e-3)


def test_the_exported_folder_is_an_ordinary_hugging_face_model(exported):
    """AutoModelForMaskedLM, one masked position at a time, gives the engine's bag."""
    net = transformers.AutoModelForMaskedLM.from_pretrained(exported, dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(exported)
    text = TEXTS[1]
    row = tokenizer(text, return_tensors="pt")["input_ids"]
    shares = []
    for place in range(1, row.shape[1] - 1):
        masked = row.clone()
        masked[0, place] = tokenizer.mask_token_id
        with torch.inference_mode():
            shares.append(torch.softmax(net(masked).logits[0, place].double(), -1).numpy())
    (bag,) = answers(load("pocket"), BagRequest(text, 1.0))
    np.testing.assert_allclose(np.exp(bag.log_probabilities), np.mean(shares, axis=0), atol=1e-5)


SHAPE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def test_a_causal_model_says_what_its_loss_says_and_gives_vectors(tmp_path):
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(WORDS), n_positions=24, n_embd=16, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=3
    )
    net = transformers.GPT2LMHeadModel(config).eval()
    net.save_pretrained(tmp_path)
    save_tokenizer(tmp_path, model_max_length=24)
    model = load(str(tmp_path))
    assert model.window == 24 and MASKED_LM not in model and SEQ2SEQ_LM not in model
    texts = ["w1 w2 w3 w4", "w7"]
    for text, one in zip(texts, answers(model, *map(CausalRequest, texts)), strict=True):
        ids = torch.tensor([[2, *model[TOKENIZER].encode([text])[0].ids]])
        with torch.inference_mode():
            loss = float(net(ids, labels=ids).loss)
        assert -one.log_probabilities.mean() == pytest.approx(loss, abs=1e-5)
    (vectors,) = answers(model, VectorsRequest("w1 w2", (0, 2)))
    assert vectors.vectors.shape == (2, 4, 16)


def test_a_causal_model_whose_texts_begin_with_no_token_is_refused(tmp_path):
    shape = {"n_positions": 24, "n_embd": 16, "n_layer": 1, "n_head": 2, "bos_token_id": None, "eos_token_id": None}
    transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=45, **shape)).save_pretrained(tmp_path)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    bare = tiny_tokenizer()
    bare.post_processor = processors.TemplateProcessing(single="$A", special_tokens=[])
    transformers.PreTrainedTokenizerFast(tokenizer_object=bare, **names).save_pretrained(tmp_path)
    with pytest.raises(SpecError, match="has no token for the beginning of a text"):
        load(str(tmp_path))


TYPED = {"vocab_size": len(WORDS), "max_position_embeddings": 40, "initializer_range": 0.5, **SHAPE}


@pytest.mark.parametrize(
    ("kind", "more", "typed"),
    [("Bert", {}, True), ("Electra", {"embedding_size": 16}, True), ("Bert", {"type_vocab_size": 1}, False)],
)
def test_a_bert_reads_the_second_text_of_a_pair_with_its_own_type(kind, more, typed, tmp_path):
    """As a pair call of transformers' own tokenizer says, which gives the second text type 1."""
    transformers.set_seed(1)
    config = getattr(transformers, f"{kind}Config")(**TYPED, **more)
    net = getattr(transformers, f"{kind}ForMaskedLM")(config).eval()
    net.save_pretrained(tmp_path)
    save_tokenizer(tmp_path, model_max_length=40)
    split, model = transformers.AutoTokenizer.from_pretrained(tmp_path), load(str(tmp_path))
    text, other = "w1 w2 w3", "w9 w8"
    for first in (True, False):
        row = split(*((text, other) if first else (other, text)), return_tensors="pt", return_token_type_ids=True)
        assert row["token_type_ids"].tolist() == [[0] * (5 if first else 4) + [1] * (3 if first else 4)]
        if not typed:
            del row["token_type_ids"]
        begin = 1 if first else 4
        states, words = answers(model, PairStatesRequest(text, other, first), MaskedWordsRequest(text, other, first))
        with torch.inference_mode():
            expected = net.base_model(**row).last_hidden_state[0, begin : begin + 3].numpy()
            logs = []
            for place in range(begin, begin + 3):
                masked = row["input_ids"].clone()
                masked[0, place] = split.mask_token_id
                found = net(**{**row, "input_ids": masked}).logits[0, place].log_softmax(-1)
                logs.append(float(found[row["input_ids"][0, place]]))
        np.testing.assert_allclose(states.states, expected, atol=1e-5)
        np.testing.assert_allclose(words.log_probabilities, logs, atol=1e-5)
