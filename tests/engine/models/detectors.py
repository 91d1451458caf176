"""Folders of detectors with random weights in the right classes, scaled up so that rows do not come out alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "The bridge over the river was closed on Monday after inspectors found rust, and two hundred workers lost jobs.",
    "Two trains were late, and one never came at all. Rain fell for a week. Nobody was hurt in the storm.",
    "The mayor said that the museum will open again in 2021 with 14 new rooms; tickets cost twelve euros.",
    "Determine if the hypothesis is true given the premise? Premise: Hypothesis: predict: premise: hypothesis: 0 1",
    "Choose your answer: based on the paragraph above can we conclude that? OPTIONS: - Yes - No I think the answer is",
    "Summarize the following text: passage 1: output: Briefly answer the following question: strictly based on",
]
_SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
LABELS = ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]


def word_pieces() -> Any:
    """BERT's kind: the two texts of a pair have types."""
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word.strip(".,:;?") for text in TEXTS for word in text.lower().split()} - {"", "-"})
    signs = sorted({sign for text in TEXTS for sign in text.lower()} - {" "})
    pieces = dict.fromkeys([*special, *words, *signs, *(f"##{sign}" for sign in signs)])
    tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "pad", "mask", "unk")}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=512,
        eos_token="[SEP]",
        **names,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def byte_pairs(modern: bool = False) -> Any:
    """RoBERTa's kind, with two separators between two texts; ModernBERT's with one."""
    from transformers import PreTrainedTokenizerFast

    special = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"] if modern else ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE(unk_token=special[3]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXTS, trainer)
    if modern:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
        )
    else:
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    begin, pad, end, unknown, mask = special
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=8192 if modern else 512,
        bos_token=begin,
        cls_token=begin,
        eos_token=end,
        sep_token=end,
        pad_token=pad,
        unk_token=unknown,
        mask_token=mask,
        model_input_names=["input_ids", "attention_mask"],
    )


def unigrams(t5: bool = False) -> Any:
    """SentencePiece's kind: DeBERTa's, or T5's, whose pieces 3 and 209 are those of the answers 0 and 1."""
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "</s>", "<unk>"] if t5 else ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    words = sorted({f"▁{word}" for text in TEXTS for word in text.split()} - {"▁1"})
    signs = sorted({sign for text in TEXTS for sign in text} - {" "})
    rest = [*[(word, -9.0) for word in words], *[(sign, -12.0) for sign in signs]]
    rest += [(f"<{number}>", -30.0) for number in range(205 - len(rest))]
    pieces = [*((one, 0.0) for one in special), ("▁", -12.0), *rest[: 208 - len(special)], ("▁1", -9.0)]
    pieces += rest[208 - len(special) :]
    assert not t5 or [pieces[3][0], pieces[209][0]] == ["▁", "▁1"]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=len(special) - 1))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    if t5:
        tokenizer.add_special_tokens(special)
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
        )
        return PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            model_max_length=2048,
            pad_token="<pad>",
            eos_token="</s>",
            unk_token="<unk>",
            model_input_names=["input_ids", "attention_mask"],
        )
    tokenizer.add_special_tokens([*special, "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=2048,
        bos_token="[CLS]",
        cls_token="[CLS]",
        eos_token="[SEP]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    )


def bert(**more: Any) -> tuple[Any, Any]:
    """A tokenizer of BERT's kind, and the configuration of a network for it."""
    import transformers

    splitter = word_pieces()
    return splitter, transformers.BertConfig(vocab_size=len(splitter), **_SIZES, **more)


def roberta(**more: Any) -> tuple[Any, Any]:
    import transformers

    splitter = byte_pairs()
    return splitter, transformers.RobertaConfig(
        vocab_size=len(splitter), max_position_embeddings=514, type_vocab_size=1, pad_token_id=1, **_SIZES, **more
    )


def deberta(**more: Any) -> tuple[Any, Any]:
    import transformers

    splitter = unigrams()
    return splitter, transformers.DebertaV2Config(
        vocab_size=len(splitter),
        max_position_embeddings=512,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        pooler_hidden_size=32,
        **_SIZES,
        **more,
    )


def _classifier(made: tuple[Any, Any]) -> tuple[Any, Any]:
    import transformers

    splitter, config = made
    return splitter, transformers.AutoModelForSequenceClassification.from_config(config)


def _modern_bert(number: int, **more: Any) -> tuple[Any, Any]:
    import transformers

    splitter = byte_pairs(modern=True)
    config = transformers.ModernBertConfig(
        vocab_size=len(splitter),
        num_labels=number,
        max_position_embeddings=8192,
        pad_token_id=1,
        cls_token_id=0,
        sep_token_id=2,
        bos_token_id=0,
        eos_token_id=2,
        global_attn_every_n_layers=2,
        local_attention=16,
        attn_implementation="eager",
        **_SIZES,
        **more,
    )
    return splitter, transformers.ModernBertForTokenClassification(config)


def t5_config(splitter: Any, **more: Any) -> Any:
    import transformers

    sizes = {"d_model": 32, "d_kv": 64, "d_ff": 48, "num_layers": 2, "num_heads": 2, "feed_forward_proj": "gated-gelu"}
    return transformers.T5Config(
        vocab_size=len(splitter),
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        tie_word_embeddings=False,
        **sizes,
        **more,
    )


def write_t5(folder: Path, sentinels: Sequence[str] = ("<extra_id_0>", "<extra_id_1>")) -> Any:
    """Write a T5 that fills gaps, and return its network."""
    import transformers

    splitter = unigrams(t5=True)
    splitter.add_special_tokens({"additional_special_tokens": list(sentinels)})
    splitter.model_max_length = 96
    splitter.save_pretrained(folder)
    net = scaled(transformers.T5ForConditionalGeneration(t5_config(splitter)))
    net.save_pretrained(folder)
    return net


def _t5() -> tuple[Any, Any]:
    import transformers

    splitter = unigrams(t5=True)
    return splitter, transformers.T5ForConditionalGeneration(t5_config(splitter))


_ENTAILMENT = {0: "entailment", 1: "not_entailment"}
_TURNED = dict(enumerate(["entailment", "neutral", "contradiction"]))
KINDS: dict[str, tuple[str, Callable[[], tuple[Any, Any]]]] = {
    "nli-bert": ("nli", lambda: _classifier(bert(id2label=_TURNED))),
    "nli-roberta": ("nli", lambda: _classifier(roberta(id2label=dict(enumerate(LABELS))))),
    "nli-deberta": ("nli", lambda: _classifier(deberta(id2label=_ENTAILMENT))),
    "nli-logit": ("nli", lambda: _classifier(roberta(num_labels=1))),
    "minicheck-roberta": ("minicheck", lambda: _classifier(roberta(num_labels=2))),
    "minicheck-deberta": ("minicheck", lambda: _classifier(deberta(num_labels=2))),
    "minicheck-t5": ("minicheck", _t5),
    "factcg-deberta": ("factcg", lambda: _classifier(deberta(num_labels=2))),
    "lettuce": ("lettuce", lambda: _modern_bert(2)),
    "true-t5": ("true", _t5),
}
"""The prefix of each kind, and what makes tokenizer and network"""


def scaled(net: Any, seed: int = 3) -> Any:
    """A network with new random weights, so large that its answers differ."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in net.named_parameters():
            if weight.ndim > 1:
                large = 0.6 if "classifier" in name else 8 * 0.02
                weight.copy_(torch.randn(weight.shape, generator=generator) * large)
    return net.eval()


def write(folder: Path, kind: str) -> str:
    """Write a folder of a kind, and return the name that loads it."""
    prefix, make = KINDS[kind]
    splitter, net = make()
    splitter.save_pretrained(folder)
    scaled(net).save_pretrained(folder)
    return f"{prefix}:{folder}"


def write_hhem(folder: Path, tokenizer: Path) -> None:
    """Write a folder as HHEM-2.1-Open's: custom code, weights of a T5 under `t5.`, and its tokenizer elsewhere."""
    import transformers
    from safetensors.torch import save_file

    splitter = unigrams(t5=True)
    splitter.save_pretrained(tokenizer)
    net = scaled(transformers.T5ForTokenClassification(t5_config(splitter, num_labels=2)))
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        f"t5.{name}": value.contiguous() for name, value in net.state_dict().items() if "embed_tokens" not in name
    }
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["HHEMv2ForSequenceClassification"],
        "model_type": "HHEMv2Config",
        "torch_dtype": "float32",
        "auto_map": {"AutoModelForSequenceClassification": "modeling_hhem_v2.HHEMv2ForSequenceClassification"},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
