"""Campaign: any body that is sent to the service is answered by scores, or by an error of one line and its status.

    python campaigns/service.py [--inputs 2000] [--seed 0] [--repeat INPUT]

The application runs in this process (extras `serve` and `dev`), with metrics of the embedded model and without.
"""

from __future__ import annotations

import functools
import json
import sys
from typing import Any

from campaign import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from specs import SPECS
from starlette.testclient import TestClient
from texts import json_values, mostly, rows, texts

from nlgauge.engine.models import loading
from nlgauge.serve.app import Service, application
from nlgauge.serve.keys import Keys
from nlgauge.serve.limits import Limits
from nlgauge.serve.menu import Menu
from nlgauge.serve.refusal import DOCUMENTED

HOST = "127.0.0.1"
ROUTES = ["/score", "/explain", "/check"]
CHEAP = ["TokenF1", "Length", "CopyRate", "BLEU", "Consistency(aligner='D')", "BERTScore"]


@functools.cache
def _client() -> TestClient:
    menu = Menu.of(CHEAP, "pocket", any_metric=True)
    service = Service(menu, {"pocket": loading.load("pocket")}, Limits(work=0.05, characters=4000, rows=8))
    client = TestClient(application(service, keys=Keys(()), hosts={HOST}, log=False), base_url=f"http://{HOST}")
    client.__enter__()  # the process ends before it could be left
    return client


def outcome(given: dict[str, Any]) -> str:
    """Ask, and look at the answer."""
    route, asked = given["asked"]
    body = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
    answer = _client().request(
        given["method"],
        given["elsewhere"] or route,
        content=body,
        headers={"content-type": given["type"], **given["headers"]},
    )
    if answer.status_code == 500 or answer.status_code not in {200, 404, 405, *DOCUMENTED}:
        raise BrokenPromiseError(f"the status is {answer.status_code}: {answer.text[:200]}")
    record = answer.json() if "json" in answer.headers.get("content-type", "") else {}
    if answer.status_code != 200 and (not record.get("error") or "\n" in record["error"]):
        raise BrokenPromiseError(f"the error is not one line: {answer.text[:200]}")
    for score in record.get("scores", []):
        if score["value"] is None and not score["reason"]:
            raise BrokenPromiseError("a null has no reason")
    return f"status {answer.status_code}"


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
            st.sampled_from([{"content-encoding": "gzip"}, {"x-api-key": "no key"}, {"host": "elsewhere"}]),
            40,
        ),
        "asked": _asked(),
    }
)

if __name__ == "__main__":
    _client()
    sys.exit(main(Surface("service", INPUTS, outcome)))
