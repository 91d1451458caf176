"""ReplyFit: the cosine of a reply and the last two turns, by learned maps."""

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save

from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.loading import load
from nlgauge.engine.reply_encoder import ReplyEncoder, read_reply_encoder, write_reply_encoder
from nlgauge.errors import SpecError
from nlgauge.metrics.reply_fit import ReplyFit
from tests.engine.fake import FakeModel, answers
from tests.metrics.pieces import row, scored, shown

SIZE = 5


@pytest.fixture
def encoder() -> ReplyEncoder:
    """Random maps on layers 1 and 3 of the small model."""
    rng = np.random.default_rng(3)
    numbers = lambda *shape: rng.normal(size=shape).astype(np.float32)  # noqa: E731
    width = 2 * FakeModel.width
    return ReplyEncoder(
        layers=(1, 3),
        center=numbers(2, FakeModel.width) / 9,
        maps={
            name: numbers(SIZE, width).astype(np.float16).astype(np.float32) for name in ("last", "earlier", "reply")
        },
        history_bias=numbers(SIZE) / 9,
        reply_bias=numbers(SIZE) / 9,
        model=FakeModel.digest,
    )


@pytest.fixture
def metric(encoder, tmp_path) -> ReplyFit:
    write_reply_encoder(tmp_path / "replies.safetensors", encoder)
    return ReplyFit(weights=str(tmp_path))


def literal(encoder: ReplyEncoder, turns: list[str], reply: str) -> float:
    """The score by its definition, token by token."""

    def vector(text: str) -> list[float]:
        (states,) = answers(FakeModel(), VectorsRequest(text, encoder.layers))
        parts: list[float] = []
        for layer in range(len(encoder.layers)):
            tokens = states.vectors[layer]
            mean = [sum(float(token[i]) for token in tokens) / len(tokens) for i in range(FakeModel.width)]
            moved = [value - float(c) for value, c in zip(mean, encoder.center[layer], strict=True)]
            length = sum(value * value for value in moved) ** 0.5
            parts += [value / length for value in moved]
        return parts

    def mapped(name: str, text: str) -> list[float]:
        x = vector(text)
        return [sum(float(w) * value for w, value in zip(line, x, strict=True)) for line in encoder.maps[name]]

    history = [a + float(b) for a, b in zip(mapped("last", turns[-1]), encoder.history_bias, strict=True)]
    if len(turns) > 1:
        history = [a + b for a, b in zip(history, mapped("earlier", turns[-2]), strict=True)]
    answer = [a + float(b) for a, b in zip(mapped("reply", reply), encoder.reply_bias, strict=True)]
    dot = sum(a * b for a, b in zip(history, answer, strict=True))
    return dot / (sum(a * a for a in history) * sum(b * b for b in answer)) ** 0.5


def test_it_is_the_definition(metric, encoder):
    dialogues = [(["w1 w2 w3", "w4"], "w5 w6"), (["w7 w8"], "w9"), (["w3", "w3"], "w3"), (["w1"], "w2 w2 w2 w4")]
    values = scored(metric, [row(reply, source="\n".join(turns)) for turns, reply in dialogues])
    for value, (turns, reply) in zip(values, dialogues, strict=True):
        assert value.parts == pytest.approx((literal(encoder, turns, reply),), abs=1e-6)
        assert value.reason is None


def test_the_last_two_lines_are_read(metric):
    sources = ["w1 w2\nw3\nw4 w5", "w7\nw3\nw4 w5", "w3\n \n\nw4 w5\n", "w3\r\nw4 w5"]
    first, *same = [value.parts[0] for value in scored(metric, [row("w6 w1", source=source) for source in sources])]
    assert same == [first] * 3
    changed = scored(metric, [row("w6 w1", source=source) for source in ("w7\nw4 w5", "w3\nw4", "w4 w5")])
    assert all(abs(value.parts[0] - first) > 1e-4 for value in changed)
    assert shown(metric, row("w6 w1", source=sources[0]))["items"] == [
        {"name": "last turn", "text": "w4 w5"},
        {"name": "turn before it", "text": "w3"},
    ]
    assert [item["name"] for item in shown(metric, row("w6", source="w4"))["items"]] == ["last turn"]


@pytest.mark.parametrize(
    ("candidate", "source", "reason"),
    [
        ("w1", None, "no source"),
        ("w1", "", "the source has no words"),
        ("w1", " \n\n", "the source has no words"),
        ("", "w1\nw2", "the candidate has no words"),
        (" ", "w1", "the candidate has no words"),
    ],
)
def test_a_row_without_a_value_says_why(metric, candidate, source, reason):
    (value,) = scored(metric, [row(candidate, source=source)])
    assert np.isnan(value.parts[0]) and value.reason == reason
    assert shown(metric, row(candidate, source=None)) == {}


def test_a_turn_without_tokens_is_left_out_or_told(metric):
    blank = "."  # which the small tokenizer drops at the end of a text
    (alone,) = scored(metric, [row("w1", source="w2")])
    (before,) = scored(metric, [row("w1", source=f"{blank}\nw2")])
    (last,) = scored(metric, [row("w1", source=f"w2\n{blank}")])
    assert before.parts == alone.parts
    assert last.reason == "the last turn of the source has no words"


def test_texts_of_no_direction_have_no_value(encoder):
    zero = {name: np.zeros_like(array) for name, array in encoder.maps.items()}
    nothing = replace(encoder, maps=zero, history_bias=np.zeros(SIZE), reply_bias=np.ones(SIZE))
    assert np.isnan(nothing.fit([encoder.center], encoder.center))
    biases = replace(encoder, reply_bias=encoder.history_bias)
    assert biases.fit([encoder.center], encoder.center) == pytest.approx(1), "states at the center leave the biases"


def test_what_is_no_reply_encoder_is_refused(encoder, tmp_path):
    model, path = FakeModel(), tmp_path / "replies.safetensors"
    with pytest.raises(SpecError, match="'fake' has no reply encoder 'conversation': give a file that nlgauge train"):
        read_reply_encoder("conversation", model)
    path.write_bytes(b"nothing")
    with pytest.raises(SpecError, match="holds no reply encoder"):
        read_reply_encoder(str(path), model)
    path.write_bytes(save({"center": encoder.center}, metadata={"model": model.digest}))
    with pytest.raises(SpecError, match="holds no reply encoder: File does not contain tensor layers"):
        read_reply_encoder(str(path), model)
    write_reply_encoder(path, replace(encoder, model="11" * 32))
    with pytest.raises(
        SpecError, match="the states of another model than 'fake': train for this one with nlgauge train rep"
    ):
        read_reply_encoder(str(path), model)
    write_reply_encoder(path, replace(encoder, maps={**encoder.maps, "reply": np.ones((SIZE, 3), np.float32)}))
    with pytest.raises(SpecError, match=r"reply has the shape \(5, 3\) and not \(5, 16\)"):
        read_reply_encoder(str(path), model)
    write_reply_encoder(path, replace(encoder, reply_bias=np.full(SIZE, np.nan, np.float32)))
    with pytest.raises(SpecError, match="numbers that are not finite"):
        read_reply_encoder(str(path), model)


DIALOGUES = [
    ("Do you have any pets at home?", "Yes, two cats and an old dog."),
    ("What did you think of the football game last night?", "Great match, the quarterback threw four touchdowns."),
    ("Have you read any good books lately?", "I just finished a novel by a young author, and I loved it."),
    ("Do you like to listen to jazz music?", "I do, my favorite band plays the saxophone."),
    ("Have you seen that movie with the sharks?", "Yes, the film was scary, but the actors were good."),
    ("Did you vote in the last election for president?", "I did, I like to follow politics and the government."),
]


def test_a_reply_fits_its_history_better_than_those_of_others():
    engine = Engine(load("pocket"))
    rows = [Row(reply, source=turn) for turn, _ in DIALOGUES for _, reply in DIALOGUES]
    values = np.array([value.parts[0] for value in scored(ReplyFit(), rows, engine.model)]).reshape(6, 6)
    assert (values.argmax(axis=1) == np.arange(6)).all(), "each turn's reply is found"
    assert (values.argmax(axis=0) == np.arange(6)).all(), "each reply's turn is found"


def test_a_repeated_turn_is_noted(metric):
    rows = [row(reply, source="w1 w2\nw3\nw4 w5") for reply in ("W1  w2", "w4 w5", "w1 w2 w3", "w4", "w6")]
    notes = [value.notes for value in scored(metric, rows)]
    assert notes == [("the candidate repeats a turn: its score does not show that",)] * 2 + [()] * 3
