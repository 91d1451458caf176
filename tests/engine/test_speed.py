"""How fast a model is by each backend and precision: what is timed, what is compared, and what cannot be taken."""

from __future__ import annotations

import time
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nlgauge.engine import speed
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, TOKENIZER, Floats, Ints
from nlgauge.errors import MissingExtraError, SpecError
from tests.engine.fake import FakeModel, Part


class Clock:
    """A clock that goes on where a model computes, and nowhere else."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(TimedModel, "clock", made, raising=False)
    monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=made.perf_counter))
    return made


class TimedModel(FakeModel):
    """Takes a time for each batch, and moves its first dimension."""

    clock: Clock

    def __init__(self, backend: str, precision: str, seconds: float, moved: float) -> None:
        super().__init__(window=256)
        self.backend, self.precision = f"{backend}-1.0", precision  # type: ignore[misc]
        self.seconds, self.moved = seconds, moved

    def hidden(self, ids: Ints, attend: Ints, layers: Any) -> Floats:
        self.clock.now += self.seconds
        states = super().hidden(ids, attend, layers)
        states[..., 0] += self.moved
        return states

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        self.clock.now += self.seconds
        logits, *others = super().align(ids, attend, side)
        return (logits + np.float32(self.moved), *others)  # type: ignore[return-value]


def loaded(name: str, precision: str, backend: str, device: str | None) -> Any:
    """Load what a machine has: onnxruntime in float32 and int8, and torch in bfloat16, which is slow."""
    if backend == "openvino":
        raise MissingExtraError("backend 'openvino'", "openvino")
    ways = {
        ("onnxruntime", "float32"): (0.02, 0.0),
        ("onnxruntime", "int8"): (0.002, 0.5),
        ("torch", "bfloat16"): (0.16, 0.01),
    }
    library = "onnxruntime" if backend == "auto" else backend
    if (library, precision) not in ways:
        raise SpecError(f"{library} does not compute in {precision}")
    return TimedModel(library, precision, *ways[library, precision])


def test_each_way_is_timed_beside_float32_and_held_to_its_numbers() -> None:
    speeds = speed.measured("fake", load=loaded)
    assert speeds is not None and speeds.model == "fake" and speeds.changed == "cosine of two sub-words"
    float32, int8, bfloat16 = speeds.timings
    assert (float32.backend, float32.precision, float32.change) == ("onnxruntime", "float32", 0.0)
    assert float32.times_as_fast == (1.0, 1.0, 1.0)
    assert (int8.backend, int8.precision) == ("onnxruntime", "int8") and int8.times_as_fast == pytest.approx(
        (10, 10, 10)
    )
    assert int8.seconds == pytest.approx(float32.seconds / 10) and float32.opening == pytest.approx(0)
    assert (bfloat16.backend, bfloat16.precision) == ("torch", "bfloat16")
    assert bfloat16.times_as_fast == pytest.approx((0.125, 0.125, 0.125))
    assert 0 < bfloat16.change < int8.change < 2
    assert set(speeds.missing) == {
        "onnxruntime bfloat16",
        "openvino float32",
        "openvino bfloat16",
        "openvino int8",
        "torch float32",
        "torch int8",
    }
    assert "needs an optional library" in speeds.missing["openvino float32"]


def test_the_change_is_that_of_the_cosines() -> None:
    exact, moved = TimedModel("a", "float32", 0, 0.0), TimedModel("a", "int8", 0, 0.5)
    largest = 0.0
    for first, second in zip(speed.TEXTS, speed.TEXTS[1:], strict=False):
        cosines = []
        for model in (exact, moved):
            words = []
            for text in (first, second):
                ids = [2, *model[TOKENIZER].encode([text])[0].ids, 3]
                words.append(model.hidden(np.array([ids]), np.ones((1, len(ids))), [3])[0, 0].astype(float))
            cosines.append([[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in words[1]] for a in words[0]])
        largest = max(largest, float(np.abs(np.subtract(*cosines)).max()))
    assert np.abs(speed._cosines(exact) - speed._cosines(moved)).max() == pytest.approx(largest, abs=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lacking", "changed"),
    [
        ([ENCODER], "probability of being supported"),
        ([ENCODER, ALIGNER], "probability of a word"),
        ([ENCODER, ALIGNER, MASKED_LM], None),
    ],
)
def test_a_model_without_vectors_is_timed_by_what_it_can_do(lacking: list[Any], changed: str | None) -> None:
    def load(name: str, precision: str, backend: str, device: str | None) -> Any:
        if backend not in ("auto", "torch") or precision == "int8":
            raise SpecError("not here")
        model = TimedModel("torch", precision, 0.01, 0.1 if precision == "bfloat16" else 0.0)
        model.abilities = {key: part for key, part in model.abilities.items() if key not in lacking}
        if ALIGNER in model.abilities:
            model.abilities[ALIGNER] = Part(model, "ab" * 32)
        return model

    speeds = speed.measured("fake", load=load, rounds=1)
    if changed is None:
        assert speeds is None
        return
    assert speeds is not None and speeds.changed == changed
    assert [timing.precision for timing in speeds.timings] == ["float32", "bfloat16"]
    assert 0 < speeds.timings[1].change <= 1


def test_a_model_of_a_package_is_timed_without_naming_a_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def load(name: str, precision: str, backend: str, device: str | None) -> Any:
        asked.append((backend, precision))
        return TimedModel("onnxruntime", precision, 0.01, 0.0)

    monkeypatch.setattr(loading, "offered", lambda group: [("acme/Model", None)])
    speeds = speed.measured("acme/Model:folder", load=load, rounds=1)
    assert asked == [("auto", "float32"), ("auto", "bfloat16"), ("auto", "int8")]
    assert speeds is not None and {timing.backend for timing in speeds.timings} == {"auto"}


def test_the_key_is_of_machine_libraries_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model: Any = FakeModel()
    key = speed.speed_key(model, None)
    assert key == speed.speed_key(model, None) and key != speed.speed_key(model, "cuda")
    other: Any = FakeModel()
    other.digest = "11" * 32
    assert key != speed.speed_key(other, None)

    def version(name: str) -> str:
        if name == "openvino":
            return "9.9"
        raise PackageNotFoundError(name)

    monkeypatch.setattr(speed, "installed_version", version)
    renewed = speed.speed_key(model, None)
    assert renewed != key and "'openvino 9.9'" in renewed and "'torch absent'" in renewed
    monkeypatch.setattr(speed, "processor", lambda: "another")
    assert renewed != speed.speed_key(model, None)


def test_rounds_differ_and_a_hopeless_way_is_timed_once(clock: Clock) -> None:
    class Slower(TimedModel):
        """Takes longer each time that it computes."""

        def hidden(self, ids: Ints, attend: Ints, layers: Any) -> Floats:
            self.seconds *= 1.5
            return super().hidden(ids, attend, layers)

    def load(name: str, precision: str, backend: str, device: str | None) -> Any:
        if precision == "float32" and backend in ("auto", "onnxruntime"):
            return TimedModel("onnxruntime", precision, 0.01, 0.0)
        if precision == "int8" and backend in ("torch", "onnxruntime"):
            clock.now += 7  # it takes so long to open
            return Slower(backend, precision, 0.001 if backend == "onnxruntime" else 1.0, 0.0)
        raise SpecError("not here")

    speeds = speed.measured("fake", load=load, rounds=4)
    assert speeds is not None
    _, int8, hopeless = speeds.timings
    low, middle, high = int8.times_as_fast
    assert 0 < low < middle < high and int8.opening == pytest.approx(7, abs=1) and int8.change == 0
    assert len(set(hopeless.times_as_fast)) == 1 and hopeless.times_as_fast[0] < 0.25


def test_the_embedded_model_is_timed_by_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "time", time)

    def load(name: str, precision: str, backend: str, device: str | None) -> Any:
        if backend in ("openvino", "torch"):  # their tests are beside them, and torch takes long to load
            raise SpecError("left out")
        return loading.load(name, precision, backend, device)

    speeds = speed.measured("pocket", load=load, rounds=1)
    assert speeds is not None
    ways = {(timing.backend, timing.precision): timing for timing in speeds.timings}
    assert set(ways) == {("onnxruntime", "float32"), ("onnxruntime", "int8")}
    assert 1e-4 < ways["onnxruntime", "int8"].change < 0.2
    assert all(timing.seconds > 0 and timing.opening >= 0 for timing in speeds.timings)
