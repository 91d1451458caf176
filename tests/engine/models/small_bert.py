"""A small folder of ours with everything in it: relative positions, weights in 8 bits, differences of low rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.engine.fake import WORDS, tiny_tokenizer

WIDTH = 96
"""Wide enough for every table of words and positions to be stored in 8 bits"""
CONFIG: dict[str, Any] = {
    "model_type": "nlgauge-bert",
    "hidden_size": WIDTH,
    "num_hidden_layers": 3,
    "adapted_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 96,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-5,
    "relative_attention_num_buckets": 8,
    "pad_token_id": 0,
}


def written(folder: Path, *, relative: bool = True, in_8_bits: bool = True) -> Path:
    """The folder, with graphs of all that can be adapted."""
    import torch

    from nlgauge.engine.models.adaptation import write_delta
    from nlgauge.engine.models.aligner_net import AlignerNet
    from nlgauge.engine.models.bert import Bert, MaskedBert
    from nlgauge.engine.models.card import ALIGNER_FILE, ALIGNER_THRESHOLD, DocumentFrequencies
    from nlgauge.engine.models.folder import MASKED_FILE, PAIRS_FILE, WEIGHTS_FILE, read_weights
    from nlgauge_lab.training.export import write_folder, write_graphs

    config = dict(CONFIG) if relative else {k: v for k, v in CONFIG.items() if not k.startswith("relative")}
    torch.manual_seed(5)
    random = np.random.default_rng(6)
    body = Bert(config)
    with torch.no_grad():
        for name, value in body.named_parameters():
            value.mul_(3 if "relative" in name else 1.5)
    tensors = {f"bert.{name}": value.detach().numpy() for name, value in body.named_parameters()}
    frequencies = DocumentFrequencies(np.ones(len(WORDS), np.int64), 10)
    write_folder(folder, tensors, config, tiny_tokenizer(), frequencies, in_8_bits=in_8_bits)
    base = read_weights(folder / WEIGHTS_FILE)
    head = MaskedBert(config, 0).cls.state_dict()
    heads = {f"cls.{name}": random.normal(size=value.shape).astype(np.float32) for name, value in head.items()}
    aligner = AlignerNet(Bert(config, 0)).state_dict()
    judged = {
        f"aligner.{name}": random.normal(size=value.shape).astype(np.float32) / 4
        for name, value in aligner.items()
        if not name.startswith("body.")
    }
    judged[ALIGNER_THRESHOLD] = np.array([0.4], np.float32)
    for file, own, number in ((MASKED_FILE, heads, 0), (PAIRS_FILE, heads, 1), (ALIGNER_FILE, judged, 0)):
        steps = f"bert.encoder.layer.{number}.output.dense.weight"
        low = f"bert.encoder.layer.{number}.attention.self.key.weight"
        vector = f"bert.encoder.layer.{number}.output.dense.bias"
        tuned = {name: base[name] + random.normal(size=base[name].shape).astype(np.float32) for name in (steps, vector)}
        down, up = random.normal(size=(4, WIDTH)) / 4, random.normal(size=(WIDTH, 4)) / 4
        write_delta(folder / file, base, {**own, **tuned}, low_rank={low: (down, up)}, in_8_bits=file == PAIRS_FILE)
    write_graphs(folder)
    return folder
