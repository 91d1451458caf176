"""The gate: do these outputs pass? By a threshold, by the source (`--grounded`), or beside an earlier run.

Read `check` first: it holds a table of scores to a threshold and to an earlier run, and gives a `Verdict`.

- `thresholds`: which number decides, and from where a row passes: given, chosen by ratings, or on the model's card.
- `verdict`: what is said of each row (`Outcome`), of each system beside the earlier run (`Regression`), of the whole.
- `baseline`: the paired test behind "no worse than the earlier run".
- `history`: a file with a line for each interim analysis, so that many days make no false alarm.
- `trials`: whether all of k trials of an item pass often enough, for systems that are run several times (`--trials`).
- `guard`: `Guard` checks an answer while it is written, sentence by sentence.

The gate takes any metric, and all but `guard` read saved scores without a model. Whether a source supports an answer is
asked by `nlgauge.faithfulness`; `nlgauge.cli.check` is the command, `nlgauge.reports.gate` the page.
"""

from __future__ import annotations

from nlgauge.gate.check import check
from nlgauge.gate.verdict import Outcome, Regression, Unsupported, Verdict

__all__ = ["Outcome", "Regression", "Unsupported", "Verdict", "check"]
