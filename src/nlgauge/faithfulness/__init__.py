"""Whether a source supports all that an answer claims.

Read `metric` first. It has `Faithfulness`, the metric whose probability the gate decides by, and its cascade of two
models.

- `aligner`: the probability that the source supports each claim, by an aligner of the engine and the rules below.
- `claims`: the claims of an answer. `layout` removes greetings, links and markup. `no_answers` recognises texts that
  are no answer. `addresses` lists web addresses that the source does not have. `record_claims` turns records into
  sentences. `forms` and `spelling` write values as the source writes them.
- `exact_checks`: differences of numbers, names, opposites and negations (`parts`, `quantities`, `opposites`).
- `derived`: statements that follow from the source or contradict it, by rules of English: `exceptions`,
  `relative_days`, `records`, `order`, `modality`, `scope`, and calculations in `calculated` (`operands`, `cues`,
  `rankings`). `derivations` are the calculations that `exact_checks` allows.
- `refusals`: sentences that say that something is not in the source, and a search of the source for it.
- `listing`: the differences that exact checks find, for the evidence of other metrics.

The gate, which decides by these scores, is in `nlgauge.gate`. It takes any metric.
"""
