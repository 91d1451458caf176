"""A body of two layers and forty words, and texts of which a word is supported where it stands in the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from nlgauge.engine.models.bert import MaskedBert
from nlgauge.engine.models.card import DocumentFrequencies
from nlgauge_lab.training.export import write_folder
from nlgauge_lab.training.labelled import Labelled
from tests.engine.fake import WORDS, tiny_tokenizer


def write_body(folder: Path) -> Path:
    torch.manual_seed(0)
    config = {
        "model_type": "bert",
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": len(WORDS),
        "max_position_embeddings": 64,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    }
    net = MaskedBert(config)
    for name, parameter in net.named_parameters():
        if parameter.ndim > 1 and "LayerNorm" not in name:
            torch.nn.init.normal_(parameter, std=0.05)
    tensors = {name: parameter.detach().numpy() for name, parameter in net.named_parameters()}
    counts = DocumentFrequencies(np.ones(len(WORDS), np.int64), 2)
    write_folder(folder, tensors, config, tiny_tokenizer(), counts)
    return folder


def labelled(rng: np.random.Generator, spans: bool = True) -> Labelled:
    """Twelve words, and a text of five of which some are among them."""
    known = rng.choice(40, 12, replace=False)
    own = np.where(rng.random(5) < 0.7, rng.choice(known, 5), rng.choice(40, 5))
    words = [f"w{w}" for w in own]
    begins = np.cumsum([0, *(len(word) + 1 for word in words[:-1])]).tolist()
    places = [(begin, begin + len(word)) for begin, word in zip(begins, words, strict=True)]
    wrong = tuple(place for place, word in zip(places, own, strict=True) if word not in known)
    return Labelled(" ".join(f"w{w}" for w in known), " ".join(words), wrong if spans else None, not wrong)


def texts(number: int, seed: int, spans: bool = True) -> list[Labelled]:
    rng = np.random.default_rng(seed)
    return [labelled(rng, spans) for _ in range(number)]
