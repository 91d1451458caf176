"""Whether a source supports all that an answer claims.

`metric` is `Faithfulness`, whose probability the gate decides by, with the cascade of two models. `aligner` reads what
an answer claims (`claims`) with an aligner of the engine. Exact checks (`exact_checks`, over `quantities` and
`opposites`) and a search for what is said to be missing (`refusals`) decide with it. `listing` adds what exact checks
find to the evidence of other metrics.

The gate, which decides by these scores, is in `nlgauge.gate`: it takes any metric.
"""
