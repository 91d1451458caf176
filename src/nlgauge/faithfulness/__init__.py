"""Whether a source supports all that an answer claims.

`metric` is `Faithfulness`, whose probability the gate decides by, with the cascade of two models. `aligner` reads what
an answer claims (`claims`) with an aligner of the engine. Exact checks (`exact_checks`, over `quantities` and
`opposites`) and a search for what is said to be missing (`refusals`) decide with it. `listing` adds what exact checks
find to the evidence of other metrics.

The verdict on scores and its thresholds are in `nlgauge.stats.gate`, and `nlgauge.guard` checks an answer while it is
written. Both read scores, and so they stand outside.
"""
