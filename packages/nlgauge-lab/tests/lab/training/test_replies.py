"""Reply encoders: planted replies are found, conversations are held out whole, and the file scores as training did."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from nlgauge.engine.features.vectors import SentenceVectors  # noqa: E402
from nlgauge.engine.reply_encoder import joined, read_reply_encoder  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge_lab.training.replies import Exchanges, Maps, ReplyConfig, by_conversation, train  # noqa: E402
from nlgauge_lab.training.weak_labels.sources import Record  # noqa: E402
from tests.engine.fake import FakeModel, answers  # noqa: E402

CONFIG = ReplyConfig(size=8, dropout=0.0, rate=0.02, batch=32, epochs=30, held_out=0.2)


def dialogues(number: int = 300, seed: int = 0) -> list[Record]:
    """Turns of 100 conversations. The reply to "w1 w2 ..." begins with the last turn's first word, twice."""
    rng = np.random.default_rng(seed)
    records = []
    for at in range(number):
        first, *more = rng.integers(1, 40, 4)
        turns = (f"w{more[0]}", f"w{first} w{more[1]}")
        reply = f"w{first} w{first} w{more[2]}"
        records.append(Record(text=reply, history=turns, origin="made", groups=(f"made:{at // 3}",)))
    return records


def test_planted_replies_are_found_and_the_file_scores_as_training_did(tmp_path):
    model = FakeModel()
    path = train(dialogues(), tmp_path, model, CONFIG)
    assert path == tmp_path / "replies.safetensors"
    card = json.loads(path.with_suffix(".json").read_text())
    held = card["held_out"]
    assert held["conversations"] * 3 == held["exchanges"] and 40 <= held["exchanges"] <= 90
    assert card["trained_on"] == {"exchanges": 300 - held["exchanges"], "by origin": {"made": 300 - held["exchanges"]}}
    assert held["found first"] > 3 / held["among"], "three times as often as by chance"
    assert card["settings"]["layers"] == [1, 2, 3]
    encoder = read_reply_encoder(str(tmp_path), model)
    texts = ["w3 w4", "w9", "w10 w10 w2"]
    found = answers(model, *(SentenceVectors(text, encoder.layers) for text in texts))
    states = np.stack([vectors.vectors[:, 0] for vectors in found])
    maps = Maps(torch.from_numpy(joined(states - encoder.center).astype(np.float32)), CONFIG).eval()
    with torch.no_grad():
        for name in ("last", "earlier", "reply"):
            getattr(maps, name).weight.copy_(torch.from_numpy(encoder.maps[name]))
        maps.last.bias.copy_(torch.from_numpy(encoder.history_bias))
        maps.reply.bias.copy_(torch.from_numpy(encoder.reply_bias))
        for earlier in (0, -1):
            history, reply = maps(Exchanges(*map(torch.tensor, ([1], [earlier], [2]))))
            turns = [states[0], states[1]] if earlier == 0 else [states[1]]
            assert float((history * reply).sum()) == pytest.approx(encoder.fit(turns, states[2]), abs=1e-5)


def test_a_second_run_reads_no_text_again_and_gives_the_same(tmp_path):
    first, second = FakeModel(), FakeModel()
    path = train(dialogues(90), tmp_path, first, CONFIG)
    before = path.read_bytes()
    assert train(dialogues(90), tmp_path, second, CONFIG).read_bytes() == before
    assert first.rows_seen and not second.rows_seen


def test_the_loss_is_its_definition():
    """A history chooses among replies and its turns, a reply among histories; equal texts are no wrong answers."""
    torch.manual_seed(1)
    maps = Maps(torch.randn(6, 4), ReplyConfig(size=3, dropout=0.0))
    last, earlier, reply = [0, 1, 1], [3, -1, 5], [4, 5, 4]
    loss, found = maps.loss(Exchanges(*map(torch.tensor, (last, earlier, reply))))
    x = maps.states.double().numpy()
    a, b, c = (getattr(maps, name).weight.detach().double().numpy() for name in ("last", "earlier", "reply"))
    bias, other = (part.bias.detach().double().numpy() for part in (maps.last, maps.reply))
    unit = lambda vector: vector / np.linalg.norm(vector)  # noqa: E731
    histories = [
        unit(a @ x[turn] + bias + (b @ x[before] if before >= 0 else 0))
        for turn, before in zip(last, earlier, strict=True)
    ]
    logit = lambda row, text: np.exp(maps.factor.item()) * histories[row] @ unit(c @ x[text] + other)  # noqa: E731
    choices = [[4, 5, 0, 3], [5, 4, 4, 1], [4, 5, 1, 5]]  # the right one first; 5 is a reply and a turn of the third
    by_history = [np.log(sum(np.exp(logit(row, text)) for text in texts)) for row, texts in enumerate(choices)]
    by_reply = [
        np.log(sum(np.exp(logit(row, text)) for row in rows))
        for text, rows in zip(reply, [[0, 1, 2], [1, 0], [2, 0]], strict=True)
    ]
    right = [logit(row, text) for row, text in enumerate(reply)]
    assert loss.item() == pytest.approx(np.mean(by_history) + np.mean(by_reply) - 2 * np.mean(right), abs=1e-5)
    first = [logit(row, texts[0]) >= max(logit(row, text) for text in texts) for row, texts in enumerate(choices)]
    assert found.item() == pytest.approx(np.mean(first))


def test_too_few_dialogues_are_refused(tmp_path):
    alone = [Record(text="w1", history=("w2",)), Record(text="w1"), Record(history=("w2",))]
    with pytest.raises(InputError, match="1 records have a history and a reply, too few"):
        train(alone, tmp_path, FakeModel(), CONFIG)


def test_knowledge_joins_no_conversations():
    """Groups as `read_records` names them: the conversation, if the row names one, then digests of shared texts."""
    records = [
        Record(text="w1", history=("w2", "w3"), origin="made", groups=("made:a", "0f0f0f0f")),
        Record(text="w1", history=("w2", "w4"), origin="made", groups=("0f0f0f0f",)),
        Record(text="w1", history=("w5",), origin="made"),
    ]
    assert [record.groups for record in by_conversation(records)] == [("made:a",), ("w2",), ("w5",)]
