"""The gate: whether outputs pass a threshold, have the support of their source (`--grounded`), or got worse.

Read `check` first: it compares a table of scores with a threshold and with an earlier run, and returns a `Verdict`.

- `thresholds`: the value with which a row passes. The user gives it, ratings chose it, or it is on the model's card.
- `verdict`: the results: of each row (`Outcome`), of each system against the earlier run (`Regression`), and of all.
- `decision`: whether a set of answers passes, by ratings, by an earlier run, or by the number of doubted answers.
- `baseline`: the paired test behind "no worse than the earlier run".
- `trials`: whether all of k trials of an item pass often enough, for systems that are run several times (`--trials`).
- `accepted`: the file of answers that a person has accepted.
- `guard`: `Guard` checks an answer while it is written, sentence by sentence.
- `attest`, `verify`, `sealed_folder`: the seal of a verdict, and the check of whether a result was changed.

The gate takes any metric. All modules but `guard` read saved scores and need no model. `nlgauge.faithfulness` asks
whether a source supports an answer, `nlgauge.cli.check` is the command, `nlgauge.reports.gate` the page, and
`nlgauge.data.history` the file of all interim analyses against one earlier run.
"""

from __future__ import annotations

from nlgauge.gate.check import check
from nlgauge.gate.verdict import Outcome, Regression, Unsupported, Verdict

__all__ = ["Outcome", "Regression", "Unsupported", "Verdict", "check"]
