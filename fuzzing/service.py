"""Fuzzing: any request is answered by the numbers of the library, or by an error of one line and its status.

    python fuzzing/service.py [--inputs 2000] [--seed 0] [--repeat INPUT]

The application runs in this process (extras `serve` and `dev`), with API keys, and with metrics of the embedded model
and without. What a request asks for is asked of `nlgauge.evaluate` too, and the answers have to be the same.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from typing import Any

from fuzzer import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from specs import SPECS
from starlette.testclient import TestClient
from texts import json_values, mostly, rows, texts

import nlgauge
from nlgauge.engine.models import loading
from nlgauge.gate import check
from nlgauge.serve.admission import OPEN, Keys
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import DOCUMENTED
from nlgauge.serve.app import Service, application
from nlgauge.serve.asking import Limits
from nlgauge.serve.batch import evaluate

HOST = "127.0.0.1"
KEY, OTHER = "0123456789abcdef-first", "fedcba9876543210-second"
RIGHT = [f"Bearer {KEY}", f"bearer {OTHER}"]
WRONG = [None, "", "Bearer", f"Basic {KEY}", KEY, f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", f"Bearer {KEY} {OTHER}"]
ROUTES = ["/score", "/explain", "/check"]
CHEAP = ["TokenF1", "Length", "CopyRate", "BLEU", "Faithfulness", "BERTScore"]
ALIKE = 1e-4
"""How far numbers may differ that come from batches of other shapes"""


@functools.cache
def _client() -> TestClient:
    loading.load = functools.cache(loading.load)  # the service and the library share the model
    allowed = AllowList.of(CHEAP, None, any_metric=True)
    limits = Limits(work=0.05, characters=4000, rows=8)
    models = {"pocket": loading.load("pocket")}
    service = Service(allowed, lambda jobs, ended, crowded: evaluate(jobs, models, limits.work, ended), limits)
    app = application(service, keys=Keys((KEY, OTHER)), hosts={HOST}, log=False)
    client = TestClient(app, base_url=f"http://{HOST}")
    client.__enter__()  # the process ends before it could be left
    row = {"candidate": "A cat.", "references": ["The cat."], "source": "A cat."}
    nlgauge.evaluate([row], metrics=CHEAP, cache=False)  # graphs are loaded now, and not within the limit of an input
    return client


def outcome(given: dict[str, Any]) -> str:
    """Ask, and look at the answer."""
    route, asked = given["asked"]
    body = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
    path = given["elsewhere"] or route
    key = {} if given["key"] is None else {"authorization": given["key"]}
    headers = {"content-type": given["type"], **given["headers"], **key}
    answer = _client().request(given["method"], path, content=body, headers=headers)
    if answer.status_code == 500 or answer.status_code not in {200, 404, 405, *DOCUMENTED}:
        raise BrokenPromiseError(f"the status is {answer.status_code}: {answer.text[:200]}")
    shut = path not in OPEN and given["key"] not in RIGHT and "host" not in given["headers"]
    if shut != (answer.status_code == 401):
        raise BrokenPromiseError(f"the status is {answer.status_code} for the key {given['key']!r}")
    record = answer.json() if "json" in answer.headers.get("content-type", "") else {}
    if answer.status_code != 200 and (not record.get("error") or "\n" in record["error"]):
        raise BrokenPromiseError(f"the error is not one line: {answer.text[:200]}")
    for score in record.get("scores", []):
        if score["value"] is None and not score["reason"]:
            raise BrokenPromiseError("a null has no reason")
    if answer.status_code == 200 and path in ROUTES:
        _compare(path, json.loads(body), record)
    return f"status {answer.status_code}"


def _compare(route: str, asked: dict[str, Any], record: dict[str, Any]) -> None:
    """Raises BrokenPromiseError for an answer that is not the library's."""
    specs = asked.get("metrics") or CHEAP if route == "/score" else [asked["metric"]]
    table = nlgauge.evaluate(asked["rows"], metrics=specs, evidence=route == "/check", cache=False)
    if route == "/score":
        wanted = [_without(one) for one in table.records()]
        found = [_without(one) for one in record["scores"]]
    elif route == "/explain":
        column = table.columns[table.metrics[0]]
        wanted = [
            [system, item, dict(zip(column.parts, map(float, values), strict=True))]
            for (system, item), values in zip(table.rows, column.values, strict=True)
        ]
        found = [[one["system"], one["item"], one["values"]] for one in record["rows"]]
    else:
        thresholds = {name: asked.get(name) for name in ("part", "at_least", "at_most")}
        verdict = check(table, allow_missing=asked.get("allow_missing") or False, **thresholds)
        wanted = [[verdict.passed], *([one.row, one.state] for one in verdict.outcomes)]
        found = [[record["passed"]], *([one["row"], one["state"]] for one in record["rows"])]
    if not _alike(found, wanted):
        raise BrokenPromiseError(f"the answer is {found!r}"[:90] + f", and the library says {wanted!r}"[:90])


def _without(score: dict[str, Any]) -> dict[str, Any]:
    """A record without its evidence, whose words a row of equals may share in another order."""
    return {name: value for name, value in score.items() if name != "evidence"}


def _alike(found: Any, wanted: Any) -> bool:
    """Equal, and numbers so far as batches of other sizes make them."""
    if isinstance(wanted, float) and not math.isfinite(wanted):
        return found in (None, "Infinity", "-Infinity")
    if isinstance(wanted, float) and isinstance(found, int | float):
        return math.isclose(found, wanted, rel_tol=ALIKE, abs_tol=ALIKE)
    if isinstance(wanted, dict) and isinstance(found, dict):
        return found.keys() == wanted.keys() and all(_alike(found[key], value) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_alike, found, wanted))
    return bool(found == wanted)


def _asked() -> st.SearchStrategy[Any]:
    spec = mostly(st.sampled_from(CHEAP), st.one_of(SPECS, texts(40)), 8)
    right = {
        "rows": st.lists(rows(80, json_values()), min_size=1, max_size=3),
        "metrics": st.lists(spec, min_size=1, max_size=2),
        "metric": spec,
        "at_least": st.floats(-1, 9),
        "at_most": st.floats(-1, 9),
        "part": st.sampled_from(["f1", "score", "recall"]),
        "evidence": st.booleans(),
        "allow_missing": st.booleans(),
    }
    fields = {name: mostly(one, json_values(), 50) for name, one in right.items()}
    scored = st.fixed_dictionaries(
        {"rows": fields["rows"], "metrics": fields["metrics"]}, optional={"evidence": fields["evidence"]}
    )
    judged = st.fixed_dictionaries(
        {"rows": fields["rows"], "metric": fields["metric"]},
        optional={name: fields[name] for name in ("at_least", "at_most", "part", "allow_missing")},
    )
    any_fields = st.fixed_dictionaries({}, optional={**fields, "other": json_values()})
    cut = st.builds(lambda body, at: json.dumps(body).encode()[:at], scored, st.integers(0, 300))
    return mostly(
        st.one_of(
            st.tuples(st.just("/score"), scored),
            st.tuples(st.just("/explain"), judged.map(lambda body: {name: body[name] for name in ("rows", "metric")})),
            st.tuples(st.just("/check"), judged),
        ),
        st.tuples(st.sampled_from(ROUTES), st.one_of(any_fields, cut, st.binary(max_size=60), json_values())),
        6,
    )


INPUTS = st.fixed_dictionaries(
    {
        "method": mostly(st.just("POST"), st.just("GET"), 40),
        "elsewhere": mostly(
            st.none(), st.sampled_from(["/metrics-list", "/health", "/nowhere", "/score/", "/%00"]), 40
        ),
        "type": mostly(
            st.just("application/json"), st.sampled_from(["application/json; charset=latin-1", "text/plain", ""]), 20
        ),
        "headers": mostly(
            st.just({}),
            st.sampled_from([{"content-encoding": "gzip"}, {"x-api-key": KEY}, {"host": "elsewhere"}]),
            40,
        ),
        "key": mostly(st.sampled_from(RIGHT), st.sampled_from(WRONG), 4),
        "asked": _asked(),
    }
)

if __name__ == "__main__":
    _client()
    sys.exit(main(Surface("service", INPUTS, outcome)))
