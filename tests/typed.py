"""What type checkers make of the public names: mypy reads this file with the source (see pyproject.toml), nothing runs.

A line with an ignore has to be an error: mypy reports an ignore that nothing needs.
"""

from __future__ import annotations

import nlgauge
from nlgauge import BERTScore, InfoLM, Metric, RowMetric, Value

metric: Metric = InfoLM(measure="l2")
wrong_name = InfoLM(measur="l2")  # type: ignore[call-arg]
wrong_type = BERTScore(model=3)  # type: ignore[arg-type]
no_metric = nlgauge.InfoML()  # type: ignore[attr-defined]

value: Value = nlgauge.score("TokenF1", "A cat.", references="A cat.")
names: list[str] = nlgauge.metrics()
table = nlgauge.evaluate(candidates=["A cat."], references=["A cat."], metrics=[metric, "TokenF1"])
number: float = table["TokenF1"].tolist()[0] + float(value)
rows: list[dict[str, object]] = [dict(row) for row in table]
of_rows: type[RowMetric] = nlgauge.TokenF1
