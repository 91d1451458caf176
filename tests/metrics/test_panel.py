"""Panel: weights that ratings chose, what is refused, and that no rating judges the weights that were fitted to it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError
from nlgauge.answers.fitted_panel import UNSEEN, FittedPanel
from nlgauge.data.table import Column
from nlgauge.metrics.panel import Panel
from nlgauge.stats.fitting import folds_of, logistic
from tests.command import nlgauge as command
from tests.metrics.court import chance, court

NAMES = ("a", "b", "c", "weak")
SPECS = [f"Column('{name}')" for name in NAMES]


def drawn(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are bad, and the scores [rows, scorers] of three judges of unlike quality and of a weak scorer."""
    rng = np.random.default_rng(seed)
    bad = rng.random(rows) < 0.35
    judges = [np.where(rng.random(rows) < right, ~bad, bad).astype(float) for right in (0.9, 0.75, 0.6)]
    return bad, np.stack([*judges, rng.normal(size=rows) - 0.6 * bad], 1)


def outputs(bad: np.ndarray, x: np.ndarray, rated: range, names: tuple[str, ...] = NAMES) -> Corpus:
    """The rows with their scores in columns; some with ratings."""
    return Corpus(
        [
            Row(
                f"answer {n}",
                source=f"source {n}",
                item=f"i{n}",
                scores={"right": float(not wrong)} if n in rated else {},
                extra=dict(zip(names, of_row.tolist(), strict=True)),
            )
            for n, (wrong, of_row) in enumerate(zip(bad, x, strict=True))
        ]
    )


def scored(corpus: Corpus, *specs: str | Panel, **options: object) -> ScoreTable:
    return nlgauge.evaluate(corpus, metrics=list(specs or SPECS), cache=False, **options)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Corpus, FittedPanel, np.ndarray, np.ndarray]:
    """A panel that was fitted to 100 of 400 rows: its file, the rows, and which are bad with their scores."""
    bad, x = drawn(400, seed=0)
    corpus = outputs(bad, x, range(100))
    panel = nlgauge.trust(scored(corpus), corpus, replicates=0).panel()
    path = tmp_path_factory.mktemp("panel") / "panel.json"
    panel.save(path)
    return path, corpus, panel, bad, x


def literal(panel: FittedPanel, row: np.ndarray, fold: int | None) -> float:
    """The probability of a row of scores by the file: member by member."""
    logit = panel.intercept
    for member in panel.members:
        at = NAMES.index(member.metric.split("'")[1])
        weight = member.weight if fold is None else member.fold_weights[fold]
        logit += weight * (row[at] - member.mean) / member.deviation
    return 1 / (1 + math.exp(-logit))


def test_a_score_is_the_weighted_sum_of_the_file(made) -> None:
    path, corpus, panel, _, x = made
    table = scored(corpus, Panel(str(path)))
    values = table.columns[str(Panel(str(path)))].values
    assert_allclose(values[:, 0], [literal(panel, row, None) for row in x])
    folds = [panel.rows.get(row.fingerprint) for row in corpus]
    assert_allclose(values[:, 1], [literal(panel, row, fold) for row, fold in zip(x, folds, strict=True)])
    assert [n for n, fold in enumerate(folds) if fold is not None] == list(range(100))
    assert FittedPanel.load(path) == panel
    assert (panel.ratings, panel.bad) == (100, sum(not row.scores["right"] for row in corpus if row.scores))


def test_the_panel_is_the_combination_that_trust_measures(made) -> None:
    """Least squares with weights that are not negative, without each fold in turn; a curve over their values."""
    from scipy.optimize import minimize, nnls

    path, corpus, panel, bad, x = made
    fold = folds_of(np.arange(400)[:100], 5, 0)
    assert [panel.rows[row.fingerprint] for row in list(corpus)[:100]] == fold.tolist()
    good = (~bad[:100]).astype(float)
    slopes = []
    for number in range(5):
        some = x[:100][fold != number]
        z = (some - some.mean(0)) / some.std(0)
        slopes.append(nnls(z, good[fold != number] - good[fold != number].mean())[0] / some.std(0))
    value = ((x[:100] - x.mean(0)) * np.array(slopes)[fold]).sum(1)
    n1, n0 = good.sum(), (1 - good).sum()
    wanted = np.where(good == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))

    def loss(point: np.ndarray) -> float:
        logit = point[0] + point[1] * value
        return float((np.logaddexp(0, logit) - wanted * logit).sum())

    intercept, slope = minimize(loss, [0.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    assert_allclose(panel.intercept, intercept, rtol=1e-5)
    for at, member in enumerate(panel.members):
        assert_allclose([member.mean, member.deviation], [x[:, at].mean(), x[:, at].std()])
        assert_allclose(member.fold_weights, np.array(slopes)[:, at] * slope * x[:, at].std(), rtol=1e-5, atol=1e-9)
        assert_allclose(member.weight, np.mean(member.fold_weights))
    assert_allclose(panel.threshold, good.mean())
    whole = nlgauge.trust(scored(corpus), corpus, replicates=0)[-1]
    alone = nlgauge.trust(scored(corpus, Panel(str(path))), corpus, replicates=0)[0]
    assert alone.auroc == whole.auroc


def test_the_curve_is_flat_for_equal_values_and_finite_for_parted_ones() -> None:
    good = np.array([True, True, False])
    assert_allclose(logistic(np.ones(3), good), (math.log((3 / 4 + 3 / 4 + 1 / 3) / (3 - 3 / 4 - 3 / 4 - 1 / 3)), 0))
    curve = logistic(np.array([5.0, 6.0, 1.0]), good)
    assert 0 < curve.slope < 10 and math.isfinite(curve.intercept)


def test_ratings_that_it_was_fitted_to_do_not_judge_it_unsaid(made) -> None:
    path, corpus, panel, bad, x = made
    spec = str(Panel(str(path)))
    table = scored(corpus, spec)
    said = f"{spec} probability was fitted to 100 of the 100 rated rows"
    own = nlgauge.trust(table, corpus, replicates=0)
    unseen = table.columns[spec].values[:100, 1]
    assert any(note.startswith(said) and "cross-fitted" in note for note in own.notes)
    assert own[0].threshold_from == "its own, fitted to these ratings" and own[0].threshold == panel.threshold
    assert_allclose(own[0].tpr.value, (unseen < panel.threshold)[bad[:100]].mean())
    half = math.sqrt(math.log(2 / 0.05) / (2 * bad[:100].sum()))
    assert_allclose(own[0].tpr.low, own[0].tpr.value - half)
    assert_allclose(own[0].brier, ((unseen - ~bad[:100]) ** 2).mean())
    for found in (
        nlgauge.calibrate(table, corpus),
        nlgauge.estimate(table, corpus),
        nlgauge.correlate(table, corpus, level="pooled", replicates=0),
    ):
        assert any("fitted to 100 of the 100" in note for note in found.notes), type(found)
    assert_allclose(
        nlgauge.correlate(table, corpus, level="pooled", replicates=0)[0].value,
        np.corrcoef(unseen, ~bad[:100])[0, 1],
    )
    others = outputs(bad, x, range(100, 250))
    held = nlgauge.trust(table, others, replicates=0)
    assert not any("fitted" in note for note in held.notes) and held[0].threshold_from == "its own"
    some = nlgauge.trust(table, outputs(bad, x, range(90, 250)), replicates=0)
    assert any("fitted to 10 of the 160 rated rows" in note for note in some.notes)


def test_rated_rows_are_known_again_by_their_texts(made) -> None:
    """In another order, under other items, and where the further rows have more texts than those of the fit."""
    path, corpus, _, _, _ = made
    rows = [replace(row, item=f"other {n}", question="Why?") for n, row in enumerate(reversed(list(corpus)))]
    table = scored(Corpus(rows), str(Panel(str(path))))
    values = table.columns[table.metrics[0]].values
    assert (values[300:, 0] != values[300:, 1]).all() and (values[:300, 0] == values[:300, 1]).all()


def test_a_changed_file_is_refused(made, tmp_path: Path) -> None:
    path, corpus, panel, _, _ = made
    text = path.read_text(encoding="utf-8")
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace(f'"weight": {panel.members[0].weight!r}', '"weight": 2.5'), encoding="utf-8")
    with pytest.raises(SpecError, match=r"changed after it was written.*\(members\).*nlgauge trust --save"):
        scored(corpus, f"Panel('{changed}')")
    record = json.loads(text)
    del record["seal"]
    for wrong, says in (
        ({"members": []}, "no member has a weight"),
        ({"threshold": 2}, "a threshold is no probability"),
        ({"rows": {"x": 9}}, "a row is of a fold that it does not have"),
        ({"members": [{**record["members"][0], "deviation": 0}]}, "has a weight below 0, or no deviation"),
        ({"members": [{**record["members"][0], "fold_weights": []}, record["members"][1]]}, "unlike numbers of folds"),
        ({"aspect": 1}, "Expected `str`, got `int`"),
        ({"more": 1}, "other fields"),
    ):
        changed.write_text(json.dumps({**record, **wrong}), encoding="utf-8")
        with pytest.raises(SpecError, match=says):
            Panel(str(changed))
    changed.write_text(json.dumps(record), encoding="utf-8")  # as if it was written by hand
    assert scored(corpus, f"Panel('{changed}')").values(f"Panel('{changed}')").size == 400
    changed.write_text("[", encoding="utf-8")
    for missing in (changed, tmp_path / "none.json"):
        with pytest.raises(SpecError, match=r"Panel: .*(is not a panel of scorers|cannot be read)"):
            Panel(str(missing))


def test_rows_that_lack_a_column_are_refused_and_a_row_that_lacks_a_score_has_none(made) -> None:
    path, corpus, _, _, _ = made
    without = Corpus([replace(row, extra={k: v for k, v in row.extra.items() if k != "b"}) for row in corpus])
    with pytest.raises(InputError, match=r"Panel: Column\('b'\): no row has a number in the column 'b' \(there are a,"):
        scored(without, str(Panel(str(path))))
    one = Corpus(
        [replace(row, extra={**row.extra, "b": None} if n == 3 else row.extra) for n, row in enumerate(corpus)]
    )
    column = scored(one, str(Panel(str(path)))).columns[str(Panel(str(path)))]
    assert column.reasons == {3: "no value of Column('b') score: no score in b"} and np.isnan(column.values[3]).all()


def test_what_makes_no_panel_is_refused(made) -> None:
    path, corpus, _, bad, _ = made
    table = scored(corpus)

    def panel(*names: str, of: ScoreTable = table, ratings: Corpus = corpus, **options: object) -> FittedPanel:
        return nlgauge.trust(of, ratings, metrics=names or None, replicates=0, **options).panel()

    with pytest.raises(InputError, match=r"at least two scorers, and 1 can be measured"):
        panel("Column('a')")
    scale = Corpus([replace(row, scores={"right": n % 5 + 1.0}) if n < 100 else row for n, row in enumerate(corpus)])
    with pytest.raises(InputError, match=r"are a scale.*--below"):
        panel(ratings=scale)
    joined = nlgauge.ScoreTable(table.rows, {**table.columns, "other": table.columns[SPECS[0]]}, table.signatures)
    joined.run = {**table.run, "joined": {"other": "file"}}
    with pytest.raises(InputError, match=r"other was joined to the scores.*Column\('other'\)"):
        panel(of=joined)
    with pytest.raises(InputError, match=r"is a panel itself"):
        panel(of=scored(corpus, *SPECS, str(Panel(str(path)))))
    with pytest.raises(InputError, match=r"do not hold the digests of their rows' texts"):
        panel(of=nlgauge.ScoreTable(table.rows, table.columns, table.signatures))
    against = outputs(bad, np.repeat(bad[:, None] + np.random.default_rng(3).normal(size=(400, 1)), 4, 1), range(100))
    with pytest.raises(InputError, match=r"do not tell good rows from bad ones"):
        panel(of=scored(against), ratings=against)
    both = Corpus(
        [replace(row, scores={**row.scores, "clear": row.scores["right"]} if row.scores else {}) for row in corpus]
    )
    with pytest.raises(InputError, match=r"several aspects are rated.*right, clear"):
        panel(ratings=both)
    assert nlgauge.trust(table, both, replicates=0).panel("clear").aspect == "clear"


def test_members_of_a_model_beside_a_column_score_as_they_do_alone(made, tmp_path: Path) -> None:
    _, corpus, _, bad, _ = made
    rows = [
        replace(row, candidate=f"The {'cat' if wrong else 'dog'} sat on mat {n}.", source=f"The dog sat on mat {n}.")
        for n, (row, wrong) in enumerate(zip(list(corpus)[:90], bad, strict=False))
    ]
    small, specs = Corpus(rows), ["Column('b')", "Column('c')", "CopyRate(ngram=2)", "Consistency", "Faithfulness"]
    table = scored(small, *specs)
    path = tmp_path / "panel.json"
    panel = nlgauge.trust(table, small, metrics=specs[:2] + specs[3:], replicates=0).panel()
    panel = replace(panel, members=tuple(replace(m, weight=1.0, fold_weights=(1.0,) * 5) for m in panel.members))
    panel.save(path)
    found = scored(small, str(Panel(str(path))))
    numbers = np.stack(
        [table.columns[m.metric].values[:, table.columns[m.metric].parts.index(m.part)] for m in panel.members], 1
    )
    wanted = panel.probabilities(numbers, np.full(90, UNSEEN))
    assert_allclose(found.values(found.metrics[0]), wanted, rtol=1e-4)
    assert found.signatures[found.metrics[0]].facts["model"]["name"] == "pocket"
    assert Panel(str(path)).reads == "pocket" and Panel(str(path)).columns == ("candidate", "source")


def test_a_judge_of_another_model_is_not_the_one_that_it_was_fitted_to(tmp_path: Path) -> None:
    bad, x = drawn(120, seed=1)
    corpus = outputs(bad, x, range(120))
    right: Mapping[str, bool] = {f"answer {n}": not wrong for n, wrong in enumerate(bad)}

    def says(text: str) -> float:
        answer = text.rsplit("answer ", 1)[1].split()[0]
        p = 0.3 + 0.4 * chance(text)
        return min(0.95, p + 0.25) if right.get(f"answer {answer}", True) else max(0.05, p - 0.25)

    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Is this right? answer-text: {candidate} .", encoding="utf-8")
    with court(says) as server:
        judge = f"Judge('{server.url}', prompt='{prompt}')"
        table = nlgauge.evaluate(corpus, metrics=[judge, *SPECS[1:3]], cache=tmp_path / "cache")
        nlgauge.trust(table, corpus, replicates=0).panel().save(tmp_path / "panel.json")
        spec = f"Panel('{tmp_path / 'panel.json'}')"
        server.bodies.clear()
        found = nlgauge.evaluate(corpus, metrics=spec, cache=tmp_path / "cache")
        assert not server.asked, "what was paid for is in the cache"
        assert found.signatures[spec].facts["numbers"] == "not repeatable" and np.isfinite(found.values(spec)).all()
        nlgauge.evaluate(
            Corpus([replace(row, candidate=f"an {row.candidate}") for row in corpus]), metrics=spec, cache=False
        )
        assert sum(server.asked.values()) == 120
        assert found.spent.get("asked") is None or found.spent["asked"][spec]["requests"] >= 1
        server.model = "judge-2"
        with pytest.raises(
            SpecError, match=r"not the scorer that the panel was fitted to: judge is judge-2, was judge-1"
        ):
            nlgauge.evaluate(corpus, metrics=spec, cache=False)


def test_explain_shows_the_weights_and_the_gate_takes_its_thresholds(made, tmp_path: Path) -> None:
    path, corpus, panel, _, x = made
    spec = f"Panel('{path}')"
    (one,) = nlgauge.explain(corpus, spec, [7], cache=False)
    items = {item["name"]: item for item in one.evidence["items"]}
    for member in panel.members:
        at = NAMES.index(member.metric.split("'")[1])
        adds = member.weight * (x[6, at] - member.mean) / member.deviation
        assert_allclose(
            [items[member.name][name] for name in ("value", "weight", "adds")], [x[6, at], member.weight, adds]
        )
    total = sum(item["adds"] for item in items.values())
    assert_allclose(one.values["probability"], 1 / (1 + math.exp(-total)))
    table = scored(corpus, spec, evidence=True)
    certified = replace(panel, certified=min(1.0, panel.threshold + 0.1))
    certified.save(tmp_path / "certified.json")
    upper = scored(corpus, f"Panel('{tmp_path / 'certified.json'}')")
    values = table.values(spec)
    for of, most in ((table, panel.threshold), (upper, certified.certified)):
        verdict = nlgauge.check(of, of.metrics[0], grounded=True)
        states = np.array([row.state for row in verdict.outcomes])
        assert ((states == "failed") == (values < panel.threshold)).all() and (
            (states == "passed") == (values >= most)
        ).all()
    assert any("100 ratings of right" in note for note in nlgauge.check(table, spec, grounded=True).notes)


def test_the_command_saves_it(made, tmp_path: Path) -> None:
    _, corpus, panel, _, _ = made
    scores, rows, path = tmp_path / "scores.jsonl", tmp_path / "rows.jsonl", tmp_path / "panel.json"
    scored(corpus).save(scores)
    rows.write_text(
        "".join(
            json.dumps({"candidate": r.candidate, "source": r.source, "item": r.item, "scores": r.scores, **r.extra})
            + "\n"
            for r in corpus
        ),
        encoding="utf-8",
    )
    done = command("trust", str(scores), "--ratings", str(rows), "--save", str(path))
    assert done.exit_code == 0, done.stderr
    assert "a panel fitted to 100 ratings of right" in done.stderr and "passes from the probability" in done.stderr
    assert FittedPanel.load(path).members == panel.members
    checked = command("check", str(rows), "--grounded", "-m", f"Panel('{path}')", "--no-cache")
    assert checked.exit_code in (0, 1), checked.stderr
    explained = command("explain", str(rows), "-m", f"Panel('{path}')", "--row", "1", "--no-cache")
    assert "Column('a') score" in explained.stdout and "adds" in explained.stdout
    table = scored(corpus)
    other = ScoreTable(table.rows, {**table.columns, "mine": Column(("score",), table.columns[SPECS[0]].values)}, {})
    other.run = {**table.run, "asked": {**table.run["asked"], "mine": "mine"}}
    other.save(scores)
    wrong = command("trust", str(scores), "--ratings", str(rows), "--save", str(tmp_path / "other.json"))
    assert wrong.exit_code == 2 and "no metric 'mine'" in wrong.stderr and not (tmp_path / "other.json").exists()


def test_on_other_rows_it_beats_a_weak_judge_and_the_vote_and_keeps_its_promise(tmp_path: Path) -> None:
    """Fitted to 100 ratings, beside each judge alone and the vote of the three, by the true shares of 100,000 rows."""
    population, scores = drawn(100_000, seed=10**6)
    shares: dict[str, list[float]] = {}
    promised = broken = 0
    worth = []
    for draw in range(12):
        bad, x = drawn(500, seed=draw)
        corpus = outputs(bad, x, range(100))
        panel = nlgauge.trust(scored(corpus), corpus, risk=0.2, replicates=0).panel()
        panel.save(tmp_path / f"{draw}.json")
        used = [NAMES.index(member.metric.split("'")[1]) for member in panel.used]
        values = panel.probabilities(scores[:, used], np.full(len(scores), UNSEEN))
        decided = {
            "panel": values >= panel.threshold,
            "vote": scores[:, :3].sum(1) > 1.5,
            **{name: scores[:, at] > 0.5 for at, name in enumerate("abc")},
        }
        for name, passes in decided.items():
            shares.setdefault(name, []).append(((~passes)[population].mean() + passes[~population].mean()) / 2)
        table = scored(corpus, f"Panel('{tmp_path / f'{draw}.json'}')")
        held = nlgauge.trust(table, outputs(bad, x, range(100, 300)), risk=0.2, replicates=0)[0]
        worth.append(held.effective.value)
        for certified in (held.certified, math.nan if panel.certified is None else panel.certified):
            if not math.isnan(certified):
                promised += 1
                broken += population[values >= certified].mean() > 0.2
    means = {name: float(np.mean(of)) for name, of in shares.items()}
    assert means["panel"] > means["vote"] + 0.02 and means["panel"] > means["b"] + 0.1 > means["c"] + 0.1
    assert means["panel"] > means["a"] - 0.01
    assert np.mean(worth) > 220 and promised >= 15 and broken <= 0.25 * promised


def test_a_panel_of_columns_cannot_check_a_sentence_that_is_being_written(made) -> None:
    with pytest.raises(SpecError, match=r"Panel\(.* reads a column of the rows, and a sentence .* has none"):
        nlgauge.Guard("source", metric=f"Panel('{made[0]}')")
