"""Make the body of `base` from all-mpnet-base-v2: `python make_body.py FOLDER OUT [--texts TEXTS]` (docs/training.md).

The vocabulary of MPNet is BERT's uncased vocabulary in another order. Its rows are put in the order of the embedded
model's ids, so that `base` uses the tokenizer and the document frequencies of the embedded model. MPNet's positions
begin at row 2, it has no token types, and its attention counts relative positions (Raffel et al. 2020), by one table
for all layers. Its weights are accepted by their digest alone, so it does not matter who hands them on.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.card import read_card
from nlgauge.engine.models.folder import (
    ADAPTED_LAYERS,
    BUCKETS,
    CONFIG_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    digest_of,
)
from nlgauge.engine.models.loading import load, pocket_folder
from nlgauge_lab.training.baseline import write_baseline
from nlgauge_lab.training.export import write_folder

DIGEST = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""SHA-256 of the publisher's model.safetensors"""
LAYERS, ADAPTED = 8, 6
MOVED = 4
"""The id of a token in MPNet's vocabulary minus its id in BERT's"""
SPECIAL = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
"""The special tokens of MPNet in place of those of nlgauge; MPNet has [UNK] itself, and never saw its own `<unk>`"""
FIRST_POSITION = 2
NAMES = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
}
"""The names of a layer's parts in MPNet and in nlgauge; the other parts have equal names"""
SAME = ("hidden_size", "num_attention_heads", "intermediate_size", "hidden_act", "layer_norm_eps", BUCKETS)


def moved(ours: dict[str, int], theirs: dict[str, int]) -> np.ndarray:
    """Return the row in the other vocabulary for each id in the vocabulary of nlgauge, [ids]."""
    rows = np.full(len(ours), -1)
    for token, number in ours.items():
        rows[number] = theirs.get(SPECIAL.get(token, token), -1)
    ordinary = [number for token, number in ours.items() if token not in SPECIAL]
    if (rows[ordinary] != np.array(ordinary) + MOVED).any() or (rows < 0).any():
        raise SystemExit("its vocabulary is not BERT's uncased one, moved by four")
    return rows


def renamed(tensors: dict[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the weights of the first layers of an MPNet, by the names in a BERT of nlgauge, without the pooler."""
    out = {}
    for name, value in tensors.items():
        if match := re.match(r"encoder\.layer\.(\d+)\.(.*)\.(weight|bias)$", name):
            number, part, kind = match.groups()
            if int(number) < LAYERS:
                out[f"bert.encoder.layer.{number}.{NAMES.get(part, part)}.{kind}"] = value
        elif name.startswith(("embeddings.LayerNorm.", "encoder.relative_attention_bias.")):
            out["bert." + name] = value
    out[WORDS] = tensors["embeddings.word_embeddings.weight"][rows]
    positions = tensors["embeddings.position_embeddings.weight"][FIRST_POSITION:]
    out["bert.embeddings.position_embeddings.weight"] = positions
    out["bert.embeddings.token_type_embeddings.weight"] = np.zeros((2, positions.shape[1]), np.float32)
    return out


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="all-mpnet-base-v2, unpacked")
    options.add_argument("out", type=Path, help="a new folder")
    options.add_argument("--texts", type=Path, help="folder of texts, for BERTScore's baseline; none without it")
    options.add_argument("--precision", default="float32", help="in which the baseline is measured")
    given = options.parse_args()
    if given.out.exists():
        raise SystemExit(f"{given.out} is there already: name a new folder")
    if (found := digest_of([given.folder / WEIGHTS_FILE])) != DIGEST:
        raise SystemExit(f"{given.folder} holds other weights: their SHA-256 is {found}, not {DIGEST}")
    theirs = json.loads((given.folder / CONFIG_FILE).read_text(encoding="utf-8"))
    tokenizer = Tokenizer.from_file(str(pocket_folder() / TOKENIZER_FILE))
    rows = moved(tokenizer.get_vocab(), Tokenizer.from_file(str(given.folder / TOKENIZER_FILE)).get_vocab())
    config = {
        "model_type": "nlgauge-bert",  # none of transformers, which would read it as another
        **{name: theirs[name] for name in SAME},
        "num_hidden_layers": LAYERS,
        ADAPTED_LAYERS: ADAPTED,
        "vocab_size": len(rows),
        "max_position_embeddings": int(theirs["max_position_embeddings"]) - FIRST_POSITION,
        "type_vocab_size": 2,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
    }
    frequencies = read_card(pocket_folder()).document_frequencies
    assert frequencies is not None
    tensors = renamed(load_file(given.folder / WEIGHTS_FILE), rows)
    write_folder(given.out, tensors, config=config, tokenizer=tokenizer, frequencies=frequencies, in_8_bits=True)
    if given.texts is not None:
        write_baseline(given.out, given.texts, Engine(load(str(given.out), given.precision)))
    print(given.out)


if __name__ == "__main__":
    main()
