"""Mark-Evaluate of single texts against the marking and catching of the paper, done point by point."""

import math
import re

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models import loading
from nlgauge.metrics.mark_evaluate import MarkEvaluateText

pytestmark = pytest.mark.usefixtures("one_model")

HARBOUR = [
    "The harbour was closed on Monday, after a storm of two days.",
    "After two days of storm the port stayed shut on Monday.",
    "A storm shut the harbour - for how long, nobody knows!",
]
ROWS = [
    Row("The port was closed on Monday because of a storm.", tuple(HARBOUR), item="1"),
    Row("Monday's storm closed it: two days, no ships.", tuple(HARBOUR[:2]), item="2"),
    Row("A museum opens in May.", tuple(HARBOUR), item="3"),
    Row("Snow.", ("It snowed.",), item="4"),
    Row(HARBOUR[0], (HARBOUR[0],), item="5"),
    Row("No ships, no ships, no ships.", (HARBOUR[1], "?!", HARBOUR[1]), item="6"),
]


def points(text: str, layers: int) -> list[list[float]]:
    """A point for every word at each of the last layers, of unit length."""
    model = loading.load("pocket")
    top = 6
    request = VectorsRequest(text, tuple(range(top - layers + 1, top + 1)))
    read = Engine(model).features([request])[request]
    begins = [match.start() for match in re.finditer(r"[a-z]+|[0-9]+", text.lower())]
    found = []
    for layer in range(layers):
        for begin in begins:
            (token,) = (i for i, (at, _) in enumerate(read.offsets.tolist()) if at == begin and not read.special[i])
            vector = [float(number) for number in read.vectors[layer, token]]
            length = math.sqrt(sum(number * number for number in vector))
            found.append([float(np.float32(number / length)) for number in vector])
    return found


def simulated(S: list[list[float]], T: list[list[float]], k: int) -> dict[str, float]:
    """The scores of reference points S and evaluated points T by equations 2 to 8, with the sets themselves."""

    x, y = np.array(S, np.float64), np.array(T, np.float64)

    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.array([[np.sqrt(np.square(point - another).sum()) for another in other] for point in one])

    def nearest(own: np.ndarray, i: int) -> list[int]:
        """NN_k: a point and its k nearest others, in ascending order of distance."""
        return [i, *sorted((j for j in range(len(own)) if j != i), key=lambda j: own[i, j])[:k]]

    within_S, within_T, between = apart(x, x), apart(y, y), apart(x, y)
    near_S, near_T = ([nearest(own, i) for i in range(len(own))] for own in (within_S, within_T))
    ball_S = {s: {t for t in range(len(T)) if between[s, t] <= within_S[s, near_S[s][-1]]} for s in range(len(S))}
    ball_T = {t: {s for s in range(len(S)) if between[s, t] <= within_T[t, near_T[t][-1]]} for t in range(len(T))}
    true = len(S) + len(T)

    def accuracy(estimated: float) -> float:
        return 1 - min(abs((estimated - true) / true), 1)

    def petersen() -> float:
        marked = {("S", s) for s in ball_S} | {("T", t) for ball in ball_S.values() for t in ball}
        caught = {("T", t) for t in ball_T} | {("S", s) for ball in ball_T.values() for s in ball}
        again = len(marked & caught)
        return len(caught) * len(marked) / again if again else math.inf

    def schnabel(S: dict, ball_S: dict, T: dict, ball_T: dict) -> float:
        marked = {("S", s) for s in S} | {("T", t) for ball in ball_S.values() for t in ball}
        captures = recaptures = 0
        for t, near in T.items():
            catch = {("T", i) for i in near} | {("S", s) for s in ball_T[t]}
            captures += len(catch)
            recaptures += len(catch & marked)
            marked |= catch
        assert len(marked) == true
        return captures * len(marked) / recaptures

    def capture() -> float:
        captures = sum(len(near_S[s]) + len(ball_S[s]) for s in ball_S) + sum(
            len(near_T[t]) + len(ball_T[t]) for t in ball_T
        )

        def likelihood(size: int) -> float:
            left = true * size - captures
            likely = math.lgamma(size + 1) - math.lgamma(size - true + 1) + captures * math.log(captures)
            return likely + (left * math.log(left) if left else 0.0) - true * size * math.log(true * size)

        return max(range(true, 2 * true), key=likelihood)

    of_S, of_T = dict(enumerate(near_S)), dict(enumerate(near_T))
    return {
        "petersen": accuracy(petersen()),
        "schnabel": accuracy(schnabel(of_S, ball_S, of_T, ball_T)),
        "diversity": accuracy(schnabel(of_T, ball_T, of_S, ball_S)),
        "capture": accuracy(capture()),
    }


@pytest.mark.parametrize(("k", "layers"), [(1, 5), (2, 3)])
def test_it_is_what_marking_and_catching_the_words_gives(k: int, layers: int) -> None:
    metrics = {
        (name, how): MarkEvaluateText(estimator=name, references=how, k=k, layers=layers)
        for name in ("petersen", "schnabel", "capture")
        for how in ("all", "best", "mean")
    }
    table = nlgauge.evaluate(nlgauge.Corpus(tuple(ROWS)), metrics=list(metrics.values()), cache=False)
    for number, row in enumerate(ROWS):
        candidate = points(row.candidate, layers)
        references = [own for text in row.references if (own := points(text, layers))]
        single = [simulated(own, candidate, k) for own in references]
        together = simulated([point for own in references for point in own], candidate, k)
        for (name, how), metric in metrics.items():
            column = table.column(str(metric))
            values = [one[name] for one in single]
            expected = {"all": together[name], "best": max(values), "mean": sum(values) / len(values)}[how]
            assert column.values[number, 0] == pytest.approx(expected, abs=1e-12), (row, name, how)
            if how == "all":
                parts = dict(zip(column.parts, column.values[number], strict=True))
                assert parts["quality"] == pytest.approx(together["schnabel"], abs=1e-12)
                assert parts["diversity"] == pytest.approx(together["diversity"], abs=1e-12)


def test_the_order_of_references_does_not_matter() -> None:
    rows = [Row(row.candidate, row.references[::-1], item=row.item) for row in ROWS[::-1]]
    one, other = (
        nlgauge.evaluate(nlgauge.Corpus(tuple(some)), metrics="MarkEvaluateText", cache=False)
        .column("MarkEvaluateText")
        .values
        for some in (ROWS, rows)
    )
    assert np.array_equal(one, other[::-1])


def test_references_without_words_are_told() -> None:
    table = nlgauge.evaluate(nlgauge.Corpus(tuple(ROWS)), metrics="MarkEvaluateText", cache=False)
    assert table.run["notes"]["MarkEvaluateText"] == {"references without words left out": 1}
    for texts, why in ((("?!", HARBOUR), "the candidate"), (("A cat.", ["?!"]), "the reference")):
        found = nlgauge.score("MarkEvaluateText", *texts)
        assert math.isnan(float(found)) and found.reason.startswith(why)


@pytest.mark.parametrize("how", ["all", "best"])
def test_the_evidence_is_words(how: str) -> None:
    scores = [simulated(points(text, 5), points(ROWS[0].candidate, 5), 1)["petersen"] for text in HARBOUR]
    best = scores.index(max(scores))
    reference, shown = (None, {1, 2, 3}) if how == "all" else (best, {best + 1})
    spec = f"MarkEvaluateText(references={how!r})"
    table = nlgauge.evaluate(nlgauge.Corpus((ROWS[0],)), metrics=spec, evidence=True, cache=False)
    found = table.column(spec).evidence[0]
    assert found.get("reference") == reference
    items = found["items"]
    own = [item["name"] for item in items if item["item"] == "candidate"]
    assert sorted(own) == sorted(["The", "port", "was", "closed", "on", "Monday", "because", "of", "a", "storm"])
    assert {item["item"] for item in items} - {"candidate"} == {f"reference {number}" for number in shown}
    covered = np.mean([item["covered"] for item in items if item["item"] == "candidate"])
    precision = table.column(spec).values[0, list(table.column(spec).parts).index("precision")]
    assert covered == pytest.approx(precision)
