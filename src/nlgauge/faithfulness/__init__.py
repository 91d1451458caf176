"""Whether a source supports all that an answer claims.

Read `metric` first: it is `Faithfulness`, whose probability the gate decides by, with the cascade of two models.

- `aligner`: what an aligner of the engine says of each claim, and how the rules below change it.
- `claims`: what an answer claims. `layout` takes off what stands around claims, `no_answers` finds texts that are no
  answer, and `addresses` those of the web that the source does not have. `record_claims` makes sentences of records.
  `forms` and `spelling` write values as the source does.
- `exact_checks`: differences of numbers, names, opposites and negations (`parts`, `quantities`, `opposites`).
- `derived`: what follows from the source, or is excluded by it, by rules of English: `exceptions`, `relative_days`,
  `records`, `order`, `modality`, and what is `calculated` (`operands`, `cues`, `rankings`, `derivations`).
- `refusals`: what an answer says is not in the source, and a search for it.
- `listing`: what exact checks find, for the evidence of other metrics.

The gate, which decides by these scores, is in `nlgauge.gate`: it takes any metric.
"""
