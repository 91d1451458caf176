"""A panel of three scripted judges and a weak scorer, fitted to 100 ratings, beside each judge and their vote.

    python benchmarks/panel.py [--draws 500] [--alike] [--quick] [--output FILE]

A draw has 500 rows, of which 35 % are bad. The yes/no judges are independent, and are right in 90, 75 and 60 % of the
rows, or each in 75 % with --alike. The weak scorer is a normal number that is 0.6 lower for bad rows. 100 rated rows
fit the panel, and 200 others certify it at a risk of 20 % with a confidence of 90 %. TPR, TNR and the risk of passing
rows are measured on 200,000 other rows. `worth` is the effective number of 200 ratings. A promise is broken if more
than 20 % of the passing rows are bad. `held out` is the promise by the 200 other ratings, and `cross-fitted` the
panel's own.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import measuring
import numpy as np
from measuring import heading, table

import nlgauge
from nlgauge import Corpus, InputError, Row
from nlgauge.answers.fitted_panel import UNSEEN

NAMES = ("a", "b", "c", "weak")
RISK = 0.2
Draw = tuple[np.ndarray, np.ndarray]


def drawn(rows: int, right: tuple[float, ...], seed: int) -> Draw:
    """Return which rows are bad [rows], and the scores [rows, scorers]."""
    rng = np.random.default_rng(seed)
    bad = rng.random(rows) < 0.35
    judges = [np.where(rng.random(rows) < share, ~bad, bad).astype(float) for share in right]
    return bad, np.stack([*judges, rng.normal(size=rows) - 0.6 * bad], 1)


def outputs(draw: Draw, rated: range) -> Corpus:
    rows = enumerate(zip(*draw, strict=True))
    return Corpus(
        [
            Row(
                f"answer {n}",
                item=f"i{n}",
                scores={"right": float(not bad)} if n in rated else {},
                extra=dict(zip(NAMES, of_row.tolist(), strict=True)),
            )
            for n, (bad, of_row) in rows
        ]
    )


def main() -> int:
    parser = measuring.parser(__doc__)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--alike", action="store_true")
    arguments = parser.parse_args()
    right = (0.75, 0.75, 0.75) if arguments.alike else (0.9, 0.75, 0.6)
    draws = 10 if arguments.quick else arguments.draws
    bad, scores = drawn(200_000, right, 10**6)
    shares: dict[str, list[tuple[float, float]]] = {}
    promised, broken, worth, refused = {"held out": 0, "cross-fitted": 0}, {"held out": 0, "cross-fitted": 0}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(draws):
            draw = drawn(500, right, number)
            fitting, others = outputs(draw, range(100)), outputs(draw, range(100, 300))
            of = nlgauge.evaluate(fitting, metrics=[f"Column('{name}')" for name in NAMES], cache=False)
            try:
                panel = nlgauge.trust(of, fitting, risk=RISK, replicates=0).panel()
                panel.save(path := Path(folder) / f"{number}.json")
                made = nlgauge.evaluate(fitting, metrics=f"Panel('{path}')", cache=False)
                held = nlgauge.trust(made, others, risk=RISK, replicates=0)[0]
            except InputError:  # the rated rows do not look drawn at random, in one draw of a thousand
                refused += 1
                continue
            used = [NAMES.index(member.metric.split("'")[1]) for member in panel.used]
            values = panel.probabilities(scores[:, used], np.full(len(scores), UNSEEN))
            decided = {
                "panel": values >= panel.threshold,
                "vote of a, b, c": scores[:, :3].sum(1) > 1.5,
                **{name: scores[:, at] > 0.5 for at, name in enumerate("abc")},
            }
            for name, passes in decided.items():
                shares.setdefault(name, []).append((float((~passes)[bad].mean()), float(passes[~bad].mean())))
            worth.append(held.effective.value)
            certified = {"held out": held.certified, "cross-fitted": panel.certified or math.nan}
            for kind, threshold in certified.items():
                if not math.isnan(threshold):
                    promised[kind] += 1
                    broken[kind] += int(bad[values >= threshold].mean() > RISK)
    heading(f"{draws} draws, {refused} refused")
    means = {name: np.mean(of, 0).tolist() for name, of in shares.items()}
    cells = [(name, f"{tpr:.3f}", f"{tnr:.3f}", f"{(tpr + tnr) / 2:.3f}") for name, (tpr, tnr) in means.items()]
    table(("", "TPR", "TNR", "mean"), cells)
    table(("promise", "made", "broken"), [(kind, promised[kind], broken[kind]) for kind in promised])
    print(f"worth of 200 ratings: {np.mean(worth):.0f}")
    measuring.save(arguments.output, {"shares": means, "promised": promised, "broken": broken, "worth": worth})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
