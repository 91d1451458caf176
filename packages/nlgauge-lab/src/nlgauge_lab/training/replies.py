"""Train a reply encoder (ReplyFit) on dialogues: it learns to find the reply of each history among other replies.

The model's states stay as they are; three linear maps are learned on them (`nlgauge.engine.reply_encoder`). In a batch
every history is compared with every reply, and with its turns themselves, by a cosine times a learned factor. The loss
is the cross-entropy of finding each history's reply and each reply's history. No ratings are read. Whole conversations
are held out, and the epoch with the lowest loss on them is written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from nlgauge._version import __version__
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import work_of
from nlgauge.engine.features.vectors import SentenceVectors
from nlgauge.engine.models.capabilities import ENCODER, Model
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.reply_encoder import ReplyEncoder, joined, write_reply_encoder
from nlgauge.errors import InputError
from nlgauge.metrics.reply_fit import last_turns
from nlgauge.run.store import opened
from nlgauge_lab.training.run import torch_threads
from nlgauge_lab.training.weak_labels.sources import Record, split

_AT_ONCE = 1024
"""How many texts the model is asked for at a time"""
_NONE = -1
"""In place of the number of a text: there is no earlier turn"""


@dataclass(frozen=True)
class ReplyConfig:
    """The settings of a reply encoder's training."""

    seed: int = 0
    layers: tuple[int, ...] = ()
    """The layers of the model that are read; if empty, the one after each third of the model"""
    size: int = 128
    """The width of the space in which replies and histories meet"""
    dropout: float = 0.2
    rate: float = 1e-3
    decay: float = 0.05
    batch: int = 256
    epochs: int = 8
    held_out: float = 0.1
    """About this share of the conversations is held out"""


@dataclass(frozen=True)
class Exchanges:
    """Replies and the two turns before each, as numbers of texts; `earlier` is -1 where there is one turn alone."""

    last: Tensor
    """int64 [exchanges]"""
    earlier: Tensor
    """int64 [exchanges]"""
    reply: Tensor
    """int64 [exchanges]"""

    def __len__(self) -> int:
        return len(self.reply)

    def of(self, rows: Tensor) -> Exchanges:
        return Exchanges(self.last[rows], self.earlier[rows], self.reply[rows])


class Maps(nn.Module):
    """The maps that are learned, and the factor of their cosines."""

    def __init__(self, states: Tensor, config: ReplyConfig) -> None:
        super().__init__()
        self.states, width = states, states.shape[1]
        self.last, self.reply = nn.Linear(width, config.size), nn.Linear(width, config.size)
        self.earlier = nn.Linear(width, config.size, bias=False)
        self.factor = nn.Parameter(torch.tensor(2.5))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, exchanges: Exchanges) -> tuple[Tensor, Tensor]:
        """Return the histories and the replies in their common space: [exchanges, size] each, of length 1."""
        known = (exchanges.earlier != _NONE)[:, None]
        earlier = self.earlier(self._read(exchanges.earlier.clamp(min=0)))
        history = self.last(self._read(exchanges.last)) + known * earlier
        return normalize(history, dim=1), self.as_reply(exchanges.reply)

    def as_reply(self, texts: Tensor) -> Tensor:
        """Return texts as replies in the common space: [texts, size], of length 1."""
        return normalize(self.reply(self._read(texts)), dim=1)

    def _read(self, numbers: Tensor) -> Tensor:
        read: Tensor = self.dropout(self.states[numbers])
        return read

    def loss(self, exchanges: Exchanges) -> tuple[Tensor, Tensor]:
        """Return the loss of a batch, and its share of replies that are found first.

        A history has to find its reply among the replies of the batch and its turns themselves: without these, a reply
        that repeats a turn fits best of all. An equal text of another exchange is no wrong answer, and is left out.
        """
        histories, replies = self(exchanges)
        cosines = histories @ replies.T
        others = ~torch.eye(len(exchanges), dtype=torch.bool)
        same_reply = (exchanges.reply[:, None] == exchanges.reply) & others
        same_turn = (exchanges.last[:, None] == exchanges.last) & others
        turns = torch.stack([exchanges.last, exchanges.earlier.clamp(min=0)])
        repeated = torch.stack([(histories * self.as_reply(texts)).sum(1) for texts in turns], dim=1)
        no_turn = torch.stack([turns[0] == exchanges.reply, exchanges.earlier == _NONE], dim=1)
        no_turn[:, 1] |= turns[1] == exchanges.reply
        right, factor = torch.arange(len(exchanges)), self.factor.exp()
        by_history = torch.cat([cosines, repeated], dim=1) * factor
        by_history = by_history.masked_fill(torch.cat([same_reply, no_turn], dim=1), -torch.inf)
        by_reply = (cosines.T * factor).masked_fill(same_turn, -torch.inf)
        loss = cross_entropy(by_history, right) + cross_entropy(by_reply, right)
        return loss, (by_history.argmax(1) == right).float().mean()


def train(records: Sequence[Record], out: Path, model: Model, config: ReplyConfig | None = None) -> Path:
    """Train a reply encoder and return its file. A card of the same name stands beside it.

    Args:
        records: turns of dialogues, with `history` and `text`, the reply. Others are left out.
        out: the folder for the file, its card and the states of texts, so that another run needs not read them again.
        model: the model whose states are read.
        config: the settings.

    Raises:
        InputError: there are too few exchanges.
    """
    config = config or ReplyConfig()
    last = model[ENCODER].layers
    layers = config.layers or tuple(round(last * part / 3) for part in (1, 2, 3))
    turns = by_conversation(records)
    learned, held = split(turns, config.held_out)
    batch = min(config.batch, len(learned) // 2, len(held))
    if batch < 2:
        raise InputError(
            f"{len(turns)} records have a history and a reply, too few to hold some conversations out",
            remedy="give records with history and response, and an origin that names the conversation",
        )
    out.mkdir(parents=True, exist_ok=True)
    numbers: dict[str, int] = {}
    exchanges, unseen = _exchanges(learned, numbers), _exchanges(held, numbers)
    states = _states(list(numbers), layers, model, out)
    center = states[np.union1d(exchanges.last, exchanges.reply)].mean(0, dtype=np.float64).astype(np.float32)
    with torch_threads(threads()):
        torch.manual_seed(config.seed)
        maps = Maps(torch.from_numpy(joined(states - center).astype(np.float32)), config)
        facts = _fit(maps, exchanges, unseen, batch=batch, config=config)
    path = out / "replies.safetensors"
    write_reply_encoder(
        path,
        ReplyEncoder(
            layers=layers,
            center=center,
            maps={name: _array(getattr(maps, name).weight) for name in ("last", "earlier", "reply")},
            history_bias=_array(maps.last.bias),
            reply_bias=_array(maps.reply.bias),
            model=model.digest,
        ),
    )
    card = {
        "model": model.name,
        "states": model.digest,
        "trained_on": {"exchanges": len(learned), "by origin": dict(Counter(record.origin for record in learned))},
        "held_out": {"exchanges": len(held), "conversations": len({record.groups[0] for record in held}), **facts},
        "settings": {**asdict(config), "layers": layers},
        "nlgauge": __version__,
    }
    path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return path


def by_conversation(records: Sequence[Record]) -> list[Record]:
    """Return the records that have a history and a reply, each in the group of its conversation alone.

    Knowledge that several conversations share does not join them. The conversation of a record that names none is known
    by the first turn of its history.
    """
    turns = [record for record in records if record.history and record.text]
    named = [[group for group in record.groups if group.startswith(f"{record.origin}:")] for record in turns]
    return [
        replace(record, groups=(names[0] if names else record.history[0],))
        for record, names in zip(turns, named, strict=True)
    ]


def _exchanges(records: Sequence[Record], numbers: dict[str, int]) -> Exchanges:
    """Return the exchanges of some records. `numbers` has the number of each text, and takes those of new texts."""
    rows = []
    for record in records:
        turns = last_turns("\n".join(record.history))
        at = [numbers.setdefault(text, len(numbers)) for text in (*turns, record.text)]
        rows.append((at[-2], at[0] if len(turns) > 1 else _NONE, at[-1]))
    last, earlier, reply = torch.tensor(rows, dtype=torch.int64).reshape(-1, 3).T
    return Exchanges(last, earlier, reply)


def _states(texts: Sequence[str], layers: tuple[int, ...], model: Model, out: Path) -> NDArray[np.float32]:
    """Return the mean state of each text at some layers, [texts, layers, width]; 0 for a text without tokens."""
    states = np.zeros((len(texts), len(layers), model[ENCODER].width), np.float32)
    requests = [SentenceVectors(text, layers) for text in texts]
    by_length = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    with opened(out / "states") as store, closing(Engine(model, progress=True, cache=store)) as engine:
        engine.progress.expect(work_of(requests), len(requests))
        for at in range(0, len(texts), _AT_ONCE):
            wanted = by_length[at : at + _AT_ONCE]
            features = engine.features(requests[number] for number in wanted)
            for number in wanted:
                if (vectors := features[requests[number]]) is not None:
                    states[number] = vectors.vectors[:, 0]
            if store is not None:
                store.commit()
    return states


def _fit(
    maps: Maps, exchanges: Exchanges, unseen: Exchanges, batch: int, config: ReplyConfig
) -> dict[str, float | int]:
    """Train the maps, which afterwards are those of the best epoch, and return what held-out exchanges say of them."""
    optimizer = torch.optim.AdamW(maps.parameters(), config.rate, weight_decay=config.decay)
    steps = config.epochs * (len(exchanges) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / (steps + 1))
    order = torch.Generator().manual_seed(config.seed)
    best, kept = {"loss": float("inf")}, maps.state_dict()
    for epoch in range(config.epochs):
        maps.train()
        for rows in _batches(torch.randperm(len(exchanges), generator=order), batch):
            optimizer.zero_grad()
            torch.autograd.backward(maps.loss(exchanges.of(rows))[0])
            optimizer.step()
            schedule.step()
        if (facts := _held_out(maps, unseen, batch))["loss"] < best["loss"]:
            best, kept = {**facts, "epoch": epoch + 1}, {name: v.clone() for name, v in maps.state_dict().items()}
    maps.load_state_dict(kept)
    return best


def _batches(order: Tensor, batch: int) -> Iterator[Tensor]:
    """Yield whole batches of rows in an order. What is left over is too few to choose among, and is left out."""
    for at in range(0, len(order) - batch + 1, batch):
        yield order[at : at + batch]


def _held_out(maps: Maps, unseen: Exchanges, batch: int) -> dict[str, float | int]:
    """Return the loss on held-out exchanges, and how often a reply is found first among a batch of them."""
    maps.eval()
    order = torch.randperm(len(unseen), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = [maps.loss(unseen.of(rows)) for rows in _batches(order, batch)]
    loss, first = (float(torch.stack([pair[at] for pair in found]).mean()) for at in (0, 1))
    return {"loss": round(loss, 4), "found first": round(first, 4), "among": batch}


def _array(parameter: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = parameter.detach().numpy()
    return array
