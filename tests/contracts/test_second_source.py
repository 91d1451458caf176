"""A second source for every printed number: each field of each record beside a literal version of a few lines.

`SOURCES` has by record and field a function of the raw data, `CASES` the records of some small data sets. A field that
has no function fails by its name, and so does a record that no command's table is without. Literal versions are plain
loops, numpy and scipy; what is drawn at random (folds, exchanged rows) is taken as drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import get_args, get_type_hints

import pytest

from nlgauge.answers.calibrate import Calibration
from nlgauge.answers.compare import Difference
from nlgauge.answers.contrast import Contrast
from nlgauge.answers.correlate import Agreement
from nlgauge.answers.estimated_means import Estimate
from nlgauge.answers.rated_scores import Bin, Chosen
from nlgauge.answers.scorecard import BoardLine
from nlgauge.answers.trials import Passes, Plan, Reliability, Spread
from nlgauge.answers.trust.numbers import Trust
from nlgauge.answers.wordings import WordingBand
from nlgauge.data.table import SystemScore
from nlgauge.data.table.frame import Records
from nlgauge.gate import Outcome, Verdict
from nlgauge.gate.verdict import Decision, ReadClaim, Regression, SystemDecision
from nlgauge.ratings.blanks import WorstCase
from nlgauge.stats.interrater import RaterAgreement
from tests.contracts.second_source.agreement import (
    AGREEMENT,
    CONTRAST,
    RATER_AGREEMENT,
    agreements,
    contrasts,
    rater_agreements,
)
from tests.contracts.second_source.decision import DECISION, SYSTEM_DECISION, decisions, system_decisions
from tests.contracts.second_source.estimates import ESTIMATE, WORST_CASE, estimates, worst_cases
from tests.contracts.second_source.gate import (
    BOARD_LINE,
    OUTCOME,
    READ_CLAIM,
    REGRESSION,
    VERDICT,
    board_lines,
    checked,
    outcomes,
    read_claims,
    regressions,
)
from tests.contracts.second_source.literal import Cases, Sources, same
from tests.contracts.second_source.scores import DIFFERENCE, SYSTEM_SCORE, differences, system_scores
from tests.contracts.second_source.thresholds import BIN, CALIBRATION, CHOSEN, bins, calibrated, chosen
from tests.contracts.second_source.trials import PASSES, PLAN, RELIABILITY, SPREAD, pairs, passes, plans, spreads
from tests.contracts.second_source.trust import TRUST, WORDING_BAND, trusts, wording_bands

SOURCES: Mapping[type, Sources] = {
    SystemScore: SYSTEM_SCORE,
    Difference: DIFFERENCE,
    Estimate: ESTIMATE,
    WorstCase: WORST_CASE,
    Agreement: AGREEMENT,
    Contrast: CONTRAST,
    RaterAgreement: RATER_AGREEMENT,
    Calibration: CALIBRATION,
    Chosen: CHOSEN,
    Bin: BIN,
    Trust: TRUST,
    WordingBand: WORDING_BAND,
    Verdict: VERDICT,
    Regression: REGRESSION,
    Outcome: OUTCOME,
    ReadClaim: READ_CLAIM,
    BoardLine: BOARD_LINE,
    Decision: DECISION,
    SystemDecision: SYSTEM_DECISION,
    Passes: PASSES,
    Spread: SPREAD,
    Reliability: RELIABILITY,
    Plan: PLAN,
}
ROOMS = ("nlgauge.stats", "nlgauge.ratings", "nlgauge.answers", "nlgauge.gate")
CASES: Mapping[type, Cases] = {
    SystemScore: system_scores,
    Difference: differences,
    Estimate: estimates,
    WorstCase: worst_cases,
    Agreement: agreements,
    Contrast: contrasts,
    RaterAgreement: rater_agreements,
    Calibration: calibrated,
    Chosen: chosen,
    Bin: bins,
    Trust: trusts,
    WordingBand: wording_bands,
    Verdict: checked,
    Regression: regressions,
    Outcome: outcomes,
    ReadClaim: read_claims,
    BoardLine: board_lines,
    Decision: decisions,
    SystemDecision: system_decisions,
    Passes: passes,
    Spread: spreads,
    Reliability: pairs,
    Plan: plans,
}


@pytest.mark.parametrize("kind", SOURCES, ids=lambda kind: kind.__name__)
def test_every_field_is_that_of_its_literal_version(kind: type) -> None:
    sources, names = SOURCES[kind], [one.name for one in fields(kind)]
    lacking = [name for name in names if name not in sources]
    assert not lacking, f"{kind.__name__}: no second source of {', '.join(lacking)}"
    assert not sources.keys() - set(names), f"{kind.__name__} has no {sources.keys() - set(names)}"
    for name, record, raw in CASES[kind]():
        for field, source in sources.items():
            found, wanted = getattr(record, field), source(raw)
            assert same(found, wanted), f"{kind.__name__}.{field}, {name}: {found}, and literally {wanted}"


def test_every_record_that_a_command_prints_has_its_literal_version() -> None:
    """The records of each table, and those that stand in a field of theirs."""
    kinds = [one.kind for one in Records.__subclasses__() if one.__module__.startswith(ROOMS)]
    of_fields = [kind for one in SOURCES for hint in get_type_hints(one).values() for kind in (hint, *get_args(hint))]
    records = [kind for kind in of_fields if is_dataclass(kind) and kind.__module__.startswith(ROOMS)]
    lacking = {kind.__name__ for kind in (*kinds, *records) if kind not in SOURCES}
    assert lacking <= {"RatedThreshold", "Unsupported"}, f"no literal version of {', '.join(lacking)}"
