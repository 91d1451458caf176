import math

import numpy as np
import pytest

import nlgauge
from nlgauge.engine.features.masked import Bag
from nlgauge.errors import SpecError
from nlgauge.metrics import infolm
from nlgauge_lab.metrics.published.infolm import InfoLM
from tests.metrics.pieces import prepared, row, scored, shown
from tests.metrics.test_infolm import PARAMETERS, P, Q


def pair_value(metric: infolm.InfoLM) -> float:
    return metric.compare([(Bag(Q, False), Bag(P, False))], prepared(metric))[0][0]


@pytest.mark.parametrize(
    ("measure", "m", "r_m", "sim_m"),
    [
        # keys m, r_m and sim_m of the authors' code for reference p and candidate q
        ("kl", -0.0947595937, -0.0908702053, -0.0928148995),
        ("alpha", -0.0914657447, -0.0934009402, -0.0924333438),
        ("gamma", 0.0908491524, 0.0867096880, 0.0887794202),
        ("ab", 0.0970397623, 0.0965612751, 0.0968005187),
        ("renyi", 0.0230647856, 0.0235571165, 0.0233109511),
        ("fisher_rao", 0.4304967179, 0.4304967179, 0.4304967179),
        ("l1", 0.4, 0.4, 0.4),
    ],
)
def test_it_gives_the_published_codes_numbers(measure, m, r_m, sim_m):
    for direction, expected in (("forward", m), ("reverse", r_m), ("jeffreys", sim_m)):
        metric = InfoLM(measure=measure, direction=direction, **PARAMETERS.get(measure, {}))
        assert pair_value(metric) == pytest.approx(expected, abs=1e-8)
    assert metric.higher_is_better == (measure in ("kl", "alpha"))


def test_the_defaults_are_those_of_the_published_code_and_what_is_given_goes_before_them():
    metric = InfoLM()
    assert (metric.temperature, metric.idf, metric.direction, metric.stride) == (0.25, "separate", "jeffreys", 1)
    assert str(metric) == "published/InfoLM"
    assert str(InfoLM(measure="kl", temperature=None)) == "published/InfoLM(measure='kl', temperature=None)"
    assert InfoLM() != infolm.InfoLM(temperature=0.25, idf="separate")
    assert InfoLM.preset("data-to-text", measure="ab").idf == "references"
    with pytest.raises(SpecError, match="published/InfoLM: measure 'ab' needs alpha"):
        InfoLM(measure="ab")


def test_the_best_reference_is_the_nearest_whatever_the_sign():
    one = row("w1 w2 w3", "w7 w8", "w1 w2 w4")
    for measure in ("kl", "l1"):
        published = InfoLM(measure=measure, idf="none")
        distance = infolm.InfoLM(measure=measure, idf="none", temperature=0.25)
        value = scored(distance, [one])[0].parts[0]
        assert scored(published, [one])[0].parts[0] == pytest.approx(-value if measure == "kl" else value)
        assert shown(published, one)["reference"] == shown(distance, one)["reference"]


def test_fisher_rao_lies_between_0_and_pi():
    with np.errstate(divide="ignore"):
        apart = Bag(np.log([1.0, 0.0]), False), Bag(np.log([0.0, 1.0]), False)
    assert InfoLM().compare([apart], prepared(InfoLM())) == [(pytest.approx(math.pi),)]


@pytest.mark.parametrize("one", [row("", "w1"), row("w1", ""), row("w1")], ids=["candidate", "reference", "none"])
def test_where_nothing_can_be_compared_it_is_0_and_that_is_noted(one):
    (value,) = scored(InfoLM(idf="none"), [one])
    reason = scored(infolm.InfoLM(idf="none"), [one])[0].reason
    assert value.parts == (0.0,) and value.reason is None
    assert value.notes == (f"{reason}: 0 as in the published code",)


def test_an_undefined_value_is_called_zero_as_in_the_published_code_when_asked() -> None:
    table = nlgauge.evaluate(candidates=["", "A cat."], references=["A cat.", []], metrics="published/InfoLM")
    assert table.values("published/InfoLM").tolist() == [0, 0]
    assert sum(table.run["notes"]["published/InfoLM"].values()) == 2
