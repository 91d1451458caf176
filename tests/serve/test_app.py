"""The routes: the library's numbers, the library's errors, and a status for each of them."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.gate import check
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.asking import Limits
from nlgauge.serve.batch import Job
from tests.by_hand import by_hand
from tests.metrics.court import court
from tests.serve.conftest import SPECS

pytestmark = pytest.mark.usefixtures("one_model")

Serving = Callable[..., AbstractContextManager[Any]]
ALIGNED = "Faithfulness"
ROW = {"candidate": "The bridge was closed, and five hundred people were hurt.", "references": ["The bridge was shut."]}
ROW["source"] = "The bridge was closed in the evening. Nobody was hurt."


def rows(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*records[::3], {**records[0], "candidate": "", "item": "empty"}]


def alike(found: Any, wanted: Any) -> None:
    """Equal, and numbers so far as batches of other sizes make them."""
    if isinstance(wanted, float) and isinstance(found, float):
        assert math.isclose(found, wanted, rel_tol=1e-4, abs_tol=1e-5)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            alike(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            alike(one, other)
    else:
        assert found == wanted


@pytest.mark.parametrize(
    "specs",
    [
        None,
        ["TokenF1"],
        ["BERTScore(idf='references')", "CIDEr", "CopyRate"],
        ["MarkEvaluate", "InfoLM(measure='ab', alpha=3, beta=0.25)", "Length"],
    ],
    ids=str,
)
def test_scores_are_those_of_evaluate_and_of_its_file(
    client: Any, records: list[dict[str, Any]], specs: list[str] | None, tmp_path: Path
) -> None:
    given = rows(records)
    answer = client.post("/score", json={"rows": given} | ({} if specs is None else {"metrics": specs}))
    assert answer.status_code == 200
    table = nlgauge.evaluate(given, metrics=specs or list(SPECS), cache=False)
    table.save(tmp_path / "scores.jsonl")
    header, *lines = map(json.loads, by_hand(tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    found = answer.json()
    alike(found.pop("scores"), lines)
    assert found == header
    (tmp_path / "sent.jsonl").write_text(
        "\n".join(map(json.dumps, [header, *answer.json()["scores"]])), encoding="utf-8"
    )
    sent = nlgauge.ScoreTable.load(tmp_path / "sent.jsonl")
    np.testing.assert_allclose(sent.values(sent.metrics[0]), table.values(table.metrics[0]), rtol=1e-4, atol=1e-5)


def test_explanations_are_those_of_the_command(client: Any, records: list[dict[str, Any]]) -> None:
    given = rows(records)
    found = client.post("/explain", json={"rows": given, "metric": ALIGNED}).json()
    corpus = nlgauge.Corpus.from_records(given)
    wanted = [json.loads(json.dumps(one.record)) for one in nlgauge.explain(corpus, ALIGNED, cache=False)]
    alike(found["rows"], wanted)
    assert found["rows"][-1]["reason"] and found["rows"][0]["evidence"]["texts"]


def test_a_check_is_that_of_the_gate(client: Any, records: list[dict[str, Any]]) -> None:
    given = rows(records)
    found = client.post("/check", json={"rows": given, "metric": ALIGNED, "at_least": 0.5}).json()
    verdict = check(nlgauge.evaluate(given, metrics=ALIGNED, evidence=True, cache=False), at_least=0.5)
    assert found["passed"] is verdict.passed is False
    assert found["part"] == "probability"
    alike(found["rows"], json.loads(json.dumps(verdict.record["rows"])))
    assert {"passed", "failed", "missing"} <= {row["state"] for row in found["rows"]}
    allowed = client.post(
        "/check", json={"rows": given, "metric": ALIGNED, "at_least": 0, "part": "score", "allow_missing": True}
    )
    assert allowed.json()["passed"] is True


GATED = {
    "source": ["A late return costs two crowns a day.", "The reading room opens at nine."],
    "question": "What does a late return cost?",
}
SENTENCES = ["Hello!", "A late return costs 5.50 crowns a day.", "The reading room opens at nine."]


def test_a_grounded_check_says_what_it_found_and_why(client: Any) -> None:
    given = [{**GATED, "candidate": one, "item": number} for number, one in enumerate(SENTENCES)]
    found = client.post("/check", json={"rows": given, "grounded": True}).json()
    verdict = check(nlgauge.evaluate(given, metrics=ALIGNED, evidence=True, cache=False), grounded=True)
    alike(found["rows"], json.loads(json.dumps(verdict.record["rows"])))
    assert [row["finding"] for row in found["rows"]] == ["no claim", "contradicted", "supported"]
    wrong = found["rows"][1]
    assert wrong["why"] == "5.50 crowns: the source has two crowns" and wrong["quotes"][0] == GATED["source"][0]
    assert found["findings"] == {"no claim": 1, "contradicted": 1, "supported": 1} and found["passed"]
    assert found["decision"]["by"] == "alone" and found["decision"]["systems"][0]["failing"] == 1
    strict = client.post("/check", json={"rows": given, "grounded": True, "strict": "fails"}).json()
    assert not strict["passed"] and strict["ruling"] == "fails" and strict["decision"] is None
    refused = client.post("/check", json={"rows": given, "grounded": True, "at_least": 0.5})
    assert refused.status_code == 422 and "leave out" in refused.json()["error"]
    neither = client.post("/check", json={"rows": given})
    assert neither.json() == {"error": "name a metric, or ask for grounded"}


def lines_of(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


STREAM = {"content-type": "application/x-ndjson"}


def test_a_stream_gives_the_verdict_of_each_sentence(client: Any) -> None:
    text = " ".join(SENTENCES)
    pieces = [{"text": text[at : at + 7]} for at in range(0, len(text), 7)]
    answer = client.post("/stream", content=lines_of(GATED, *pieces), headers=STREAM)
    *found, last = [json.loads(line) for line in answer.text.splitlines()]
    given = [{**GATED, "candidate": one, "item": number} for number, one in enumerate(SENTENCES)]
    wanted = client.post("/check", json={"rows": given, "grounded": True}).json()["rows"]
    alike(found, [{**one, "item": "1"} for one in wanted])
    assert last == {"passed": False, "sentences": 3}


@pytest.mark.parametrize(
    ("content", "status", "say"),
    [
        (b"", 422, "source: Field required"),
        (lines_of({"source": 5}), 422, "source is int 5, not texts"),
        (lines_of({"source": "a", "metric": "TokenF1(x=1)"}), 422, "no parameter 'x'"),
        (lines_of(GATED, {"text": "It opens. "}, {"word": "b"}), 200, "text: Field required"),
        (lines_of(GATED) + b"no json", 200, "broken JSON"),
    ],
)
def test_what_is_wrong_with_a_stream_is_its_last_line(client: Any, content: bytes, status: int, say: str) -> None:
    answer = client.post("/stream", content=content, headers=STREAM)
    assert answer.status_code == status
    assert say in json.loads(answer.text.splitlines()[-1])["error"]


def test_a_stream_has_limits(serving: Serving) -> None:
    with serving(Limits(body=500)) as client:
        answer = client.post("/stream", content=lines_of(GATED, {"text": "x" * 500}), headers=STREAM)
        assert answer.status_code == 413
        assert client.post("/stream", json=GATED).status_code == 415


@pytest.mark.parametrize(
    ("route", "body", "say"),
    [
        ("/score", {"rows": []}, "there are no rows"),
        ("/score", {"rows": [{"candidate": "a"}], "metrics": ["CopyRate"]}, "no row has source, which CopyRate needs"),
        ("/score", {"rows": [ROW], "metrics": ["Nonsense"]}, "no metric 'Nonsense'"),
        ("/score", {"rows": [ROW], "metrics": ["BERTScore(model='x')"]}, "BERTScore: a request cannot set model"),
        ("/score", {"rows": [ROW], "metrics": ["BARTScore"]}, "model 'pocket' is not an encoder-decoder model"),
        ("/score", {"rows": [ROW], "evidence": 1}, "evidence: Input should be a valid boolean (see /openapi.json)"),
        ("/score", {"rows": [ROW], "model": "/etc/passwd"}, "model: Extra inputs are not permitted"),
        ("/score", {"rows": [ROW], "metrics": []}, "metrics: List should have at least 1 item"),
        ("/score", {"rows": [ROW], "metrics": ["TokenF1", 1]}, "metrics 1: Input should be a valid string"),
        ("/score", {"rows": [ROW], "x" * 500: 1}, "x...: Extra inputs are not permitted"),
        ("/score", [ROW], "the body is list ["),
        ("/explain", {"rows": [ROW]}, "metric: Field required"),
        ("/explain", {"rows": [ROW], "metric": "MarkEvaluate"}, "measures sets of texts and no single rows"),
        ("/check", {"rows": [ROW], "metric": ALIGNED, "at_least": True}, "at_least: Input should be a valid number"),
        ("/check", {"rows": [ROW], "metric": ALIGNED}, "there is nothing to check"),
        ("/check", {"rows": [ROW], "metric": ALIGNED, "at_least": 10**400}, "at_least: Input should be a valid number"),
    ],
)
def test_what_is_wrong_is_one_line_as_the_library_says_it(client: Any, route: str, body: Any, say: str) -> None:
    answer = client.post(route, json=body)
    assert answer.status_code == 422, answer.text
    assert say in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_what_is_over_a_limit_is_413(serving: Serving) -> None:
    with serving(Limits(body=2000, rows=2, characters=150, metrics=2, work=1e-3)) as client:
        for body, say in (
            ({"rows": [{"candidate": "a"}] * 3}, "3 rows, and the limit is 2"),
            ({"rows": [{"candidate": "a" * 151}]}, "151 characters in its rows, and the limit is 150"),
            ({"rows": [ROW], "metrics": ["TokenF1", "Length", "CopyRate"]}, "3 metrics, and the limit is 2"),
            ({"rows": [ROW], "metrics": ["InfoLM"]}, "blocks of work, and the limit is 0.001"),
            ({"rows": [{"candidate": "a" * 2000}]}, "the body is larger than 2000 bytes"),
        ):
            answer = client.post("/score", json=body)
            assert answer.status_code == 413, answer.text
            assert say in answer.json()["error"]
        assert (
            client.post("/score", json={"rows": [{"candidate": "a" * 150}], "metrics": ["Length"]}).status_code == 200
        )


def test_a_body_without_a_length_is_bounded_too(serving: Serving) -> None:
    def pieces() -> Any:
        for _ in range(100):
            yield b" " * 100
            sent.append(100)

    sent: list[int] = []
    with serving(Limits(body=1000)) as client:
        answer = client.post("/score", content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
def test_a_body_that_is_not_plain_json_is_415(client: Any, headers: dict[str, str]) -> None:
    answer = client.post("/score", content=json.dumps({"rows": [ROW]}), headers=headers)
    assert answer.status_code == 415
    assert set(answer.json()) == {"error"}


class Held:
    """Keeps the worker from scoring until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from nlgauge.serve import batch

        self.go, self.begun, evaluate = threading.Event(), threading.Event(), batch.evaluate

        def held(jobs: list[Job], *more: Any) -> None:
            self.begun.set()
            assert self.go.wait(30)
            evaluate(jobs, *more)

        monkeypatch.setattr(batch, "evaluate", held)


def test_too_many_that_wait_are_429_and_what_is_late_is_503(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    body = {"rows": [ROW], "metrics": ["TokenF1"]}
    with serving(Limits(seconds=0.3, waiting=1)) as client:
        answers: list[Any] = []
        first = threading.Thread(target=lambda: answers.append(client.post("/score", json=body)))
        first.start()
        assert held.begun.wait(30)
        second = threading.Thread(target=lambda: answers.append(client.post("/score", json=body)))
        second.start()
        while not client.service.worker.waiting:
            pass
        full = client.post("/score", json=body)
        assert (full.status_code, full.headers["retry-after"]) == (429, "1")
        assert client.get("/ready").status_code == 503
        first.join(30)
        second.join(30)
        assert [answer.status_code for answer in answers] == [503, 503]
        assert all("no answer within 0.3 seconds" in answer.json()["error"] for answer in answers)
        held.go.set()
        while client.get("/ready").status_code == 503:
            pass
        assert client.post("/score", json=body).status_code == 200


def test_the_documented_example_shows_the_words_that_its_source_does_not_support(client: Any) -> None:
    page = client.get("/openapi.json").json()
    examples = page["paths"]["/check"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert len(examples) == 2
    for example in examples.values():
        (row,) = client.post("/check", json=example["value"]).json()["rows"]
        words = [word for text in row["unsupported"] for word in text["words"]]
        assert any("five" in word or "hundred" in word for word in words)


def test_an_error_that_nobody_expected_is_500_and_tells_nothing(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret word of a row")

    with serving() as client:
        monkeypatch.setattr("nlgauge.serve.asking.Corpus.from_records", broken)
        answer = client.post("/score", json={"rows": [ROW]})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    errors = capfd.readouterr().err
    assert "RuntimeError at " in errors
    assert "secret" not in errors


def test_the_list_says_what_may_be_asked_for(client: Any) -> None:
    found = client.get("/metrics-list").json()
    assert [one["metric"] for one in found["metrics"]] == list(SPECS)
    assert found["metrics"][0]["reads"] == ["candidate", "source"]
    others = {one["metric"]: one for one in found["others"]}
    assert others["InfoLM"]["parameters"]["measure"]["choices"]
    assert set(others["METEOR"]["parameters"]) == {"references", "empty", "variant", "tokenizer"}


def test_prometheus_is_told_of_answers_and_of_nothing_that_a_client_wrote(serving: Serving) -> None:
    with serving() as client:
        client.post("/score", json={"rows": [ROW, ROW], "metrics": ["TokenF1"]})
        client.get("/secret-path?secret=1")
        text = client.get("/metrics").text
    assert 'nlgauge_requests_total{route="/score",status="200"} 1.0' in text
    assert 'nlgauge_requests_total{route="other",status="404"} 1.0' in text
    assert "nlgauge_rows_total 2.0" in text
    assert "nlgauge_evaluation_requests_count 1.0" in text
    assert "nlgauge_waiting 0.0" in text
    assert "secret" not in text


def test_nothing_is_sent_to_collectors_of_traces() -> None:
    pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
    from nlgauge.serve.app import _SILENT

    assert not any(_SILENT.values())


def test_a_judge_that_the_start_names_is_asked_and_no_other_address(serving: Serving) -> None:
    given = [{"candidate": f"It leaves at {hour}.", "source": "The ferry leaves at nine."} for hour in ("nine", "ten")]

    def says(text: str) -> float:
        return 0.9 if "leaves at nine" in text.split("An answer:")[-1] else 0.1

    with court(says) as judge, court(says) as other:
        spec = f"Judge('{judge.url}')"
        with serving(allowed=AllowList.of([spec], None)) as client:
            for body in ({"grounded": True}, {"metric": spec, "at_least": 0.5}):
                found = client.post("/check", json={"rows": given, **body}).json()
                assert [row["state"] for row in found["rows"]] == ["passed", "failed"] and not found["passed"]
            before = len(judge.bodies)
            lines = [{"source": given[0]["source"]}, *({"text": f"{row['candidate']} "} for row in given)]
            sent = "".join(json.dumps(line) + "\n" for line in lines)
            told = client.post("/stream", content=sent, headers={"Content-Type": "application/x-ndjson"}).text
            verdicts = [json.loads(line) for line in told.splitlines()]
            assert [row["state"] for row in verdicts[:-1]] == ["passed", "failed"]
            assert verdicts[-1] == {"passed": False, "sentences": 2}
            assert len(judge.bodies) == before + 4, "each sentence is asked about, after the first short question"
            for asked in (f"Judge('{other.url}')", f"Judge('{judge.url}', most_requests=9)"):
                refused = client.post("/score", json={"rows": given, "metrics": [asked]})
                assert refused.status_code == 422 and "a request cannot set" in refused.json()["error"]
            assert not other.bodies and len(judge.bodies) == before + 4
            judge.before = lambda number, body: (500, {}, b"{}")
            down = client.post("/check", json={"rows": given, "grounded": True})
            assert down.status_code == 422 and "500" in down.json()["error"]
