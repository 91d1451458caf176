import pytest

import nlgauge
from nlgauge.engine.features.masked import Bag
from nlgauge.errors import SpecError
from nlgauge.metrics import infolm
from nlgauge_lab.metrics.published.infolm import InfoLM
from tests.metrics.pieces import prepared
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


def test_an_undefined_value_is_called_zero_as_in_the_published_code_when_asked() -> None:
    table = nlgauge.evaluate(candidates=["", "A cat."], references=["A cat.", []], metrics="published/InfoLM")
    assert table.values("published/InfoLM").tolist() == [0, 0]
    assert sum(table.run["notes"]["published/InfoLM"].values()) == 2
