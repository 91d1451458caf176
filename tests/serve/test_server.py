"""One real server process: many clients at once, signals, and an address that is taken."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

import nlgauge

pytest.importorskip("uvicorn", reason="needs nlgauge[serve]")
pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
httpx: Any = pytest.importorskip("httpx", reason="needs the dependency group dev")

LONG = 60.0


class Process:
    """A service in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "nlgauge", "serve", "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if found := re.search(r"on (http://\S+)$", self.lines[-1]):
                self.address = found[1]
                break
        else:
            raise AssertionError(self.lines)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines += [line.rstrip("\n") for line in self.process.stderr]

    def ended(self) -> int:
        """The exit code; all lines of stderr have come by then."""
        code = self.process.wait(LONG)
        self._reading.join(LONG)
        return code


@contextmanager
def served(*options: str) -> Iterator[Process]:
    process = Process(*options)
    try:
        yield process
    finally:
        process.process.kill()
        process.process.wait(LONG)
        for stream in (process.process.stdout, process.process.stderr):
            if stream is not None:
                stream.close()


def rows(number: int) -> list[dict[str, Any]]:
    return [
        {"candidate": f"Rain fell {n} times on day {number}.", "references": [f"It rained {n * number} times."]}
        for n in range(1 + number % 3)
    ]


@pytest.mark.usefixtures("one_model")
def test_many_clients_at_once_get_the_numbers_of_evaluate() -> None:
    specs = [["TokenF1"], ["BERTScore"], ["TokenF1", "BERTScore"]]
    with (
        served("-m", "TokenF1", "-m", "BERTScore", "--quiet") as process,
        httpx.Client(base_url=process.address) as client,
    ):

        def ask(number: int) -> Any:
            body = {"rows": rows(number), "metrics": specs[number % 3]}
            return client.post("/score", json=body, timeout=LONG)

        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(ask, range(60)))
        shared = client.get("/metrics").text
    assert [answer.status_code for answer in answers] == [200] * 60
    for number, answer in enumerate(answers):
        alone = nlgauge.evaluate(rows(number), metrics=specs[number % 3], cache=False)
        found, wanted = answer.json()["scores"], list(alone.records())
        assert [{**one, "value": None} for one in found] == [{**one, "value": None} for one in wanted]
        assert [one["value"] for one in found] == pytest.approx([one["value"] for one in wanted], abs=1e-5)
        assert answer.json()["signatures"] == {spec: str(one) for spec, one in alone.signatures.items()}
    (count,) = re.findall(r"nlgauge_evaluation_requests_count (\S+)", shared)
    assert float(count) < 60, "not one request shared an evaluation"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_was_taken_is_answered_before_the_end(number: signal.Signals) -> None:
    with served("-m", "InfoLM") as process, httpx.Client(base_url=process.address) as client:
        text = "The old bridge over the river was closed for a week. "
        body = {"rows": [{"candidate": text + str(n), "references": [text]} for n in range(8)]}
        answers: list[Any] = []
        threads = [_ask(process.address, body, answers) for _ in range(4)]
        _until(lambda: _taken(client) >= len(threads))
        process.process.send_signal(number)
        for thread in threads:
            thread.join(LONG)
        assert answers == [200] * len(threads)
        assert process.ended() == 0
        with pytest.raises(httpx.ConnectError):
            client.get("/health")
    assert process.lines[-1] == "nlgauge: stopped; all that was taken is answered"
    assert sum(re.fullmatch(r"nlgauge: POST /score 200 [\d.]+ s", line) is not None for line in process.lines) == 4
    assert "bridge" not in "".join(process.lines)


def _ask(address: str, body: object, answers: list[Any]) -> threading.Thread:
    def ask() -> None:
        try:
            answers.append(httpx.post(f"{address}/score", json=body, timeout=LONG).status_code)
        except httpx.TransportError:
            answers.append(None)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_it_ends_in_its_time_whatever_is_being_scored() -> None:
    """A pair of texts keeps EED busy for minutes, and cannot be interrupted."""
    with served("-m", "EED", "--quiet", "--seconds", "1") as process, httpx.Client(base_url=process.address) as client:
        text, answers = "".join(chr(97 + n % 23) for n in range(9000)), list[Any]()
        asking = _ask(process.address, {"rows": [{"candidate": text, "references": [text[::-1]]}]}, answers)
        _until(lambda: _taken(client) == 1)
        process.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        assert process.ended() == 0, process.lines
        assert time.monotonic() - began < 15, "the time of the request, and 6 seconds"
        asking.join(LONG)
        assert answers == [503], process.lines
    assert process.lines[-1] == "nlgauge: stopped; all that was taken is answered"


def connected(process: Process) -> socket.socket:
    host, _, port = process.address.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), LONG)


def exchanged(process: Process, sent: bytes) -> bytes:
    """All that is answered to some bytes until the connection is closed."""
    with connected(process) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def test_a_header_that_says_who_or_what_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    key, other = b"Authorization: Bearer 0123456789abcdef-a-key\r\n", b"authorization: Bearer no\r\n"
    two_types = b"Content-Type: text/plain\r\nContent-Type: application/json\r\n"
    monkeypatch.setenv("NLGAUGE_SERVE_KEYS", "0123456789abcdef-a-key")
    with served("-m", "TokenF1", "--quiet") as process:
        for headers in (other + key, key + other, key + two_types):
            start = b"GET /metrics-list HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            received = exchanged(process, start + headers + b"\r\n")
            assert received.startswith(b"HTTP/1.1 400 ") and b"there are two headers" in received


def _taken(client: Any) -> float:
    """How many requests wait or are being scored: those that have come less those that were answered."""
    counts = re.findall(r"^nlgauge_(?:waiting|scoring) (\S+)$", client.get("/metrics").text, re.MULTILINE)
    return sum(map(float, counts))


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_hostile_stream_of_bytes_ends_with_an_answer_and_hurts_nobody() -> None:
    with served("-m", "TokenF1", "--quiet", "--seconds", "0.5") as process:
        head = b"POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        for sent, status in (
            (head + b"Content-Length: 99999999999999999999\r\n\r\n", b"413"),
            (head + b"Content-Length: 10\r\n\r\n{", b"408"),
            (head + b"Content-Length: x\r\n\r\n", b"400"),
            (head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1_000_000, b"400"),
            (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", b"431"),
            (b"GET /health?" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"431"),
            (head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
            (head + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", b"400"),
            (head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", b"400"),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: elsewhere\r\n\r\n", b"400"),
            (b"\x16\x03\x01 secret\r\n\r\n", b"400"),
        ):
            with connected(process) as connection:
                connection.sendall(sent)
                assert connection.recv(1 << 16).split(b" ")[1] == status, sent[:200]
        with httpx.Client(base_url=process.address) as client:
            answer = client.post("/score", json={"rows": rows(1)}, timeout=LONG)
            assert answer.status_code == 200
            assert json.loads(answer.content)["scores"]
    assert "secret" not in "".join(process.lines)


def test_what_follows_two_lengths_of_a_body_is_no_request() -> None:
    """A proxy that goes by the one length, before a service that goes by the other, would let it through."""
    body = b'{"rows": [{"candidate": "a", "references": ["a"]}]}'
    head = b"POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    lengths = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    hidden = b"GET /metrics-list HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with served("-m", "TokenF1", "--quiet") as process:
        received = exchanged(process, head + lengths + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) + hidden)
    assert received.startswith(b"HTTP/1.1 400 ") and received.count(b"HTTP/1.1") == 1
    assert b"two headers say how long the body is" in received and b"connection: close" in received.lower()


def test_an_address_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "nlgauge", "serve", "-m", "TokenF1", "--port", str(port)],
            capture_output=True,
            text=True,
            timeout=LONG,
            env=os.environ,
            check=False,
        )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"nlgauge: cannot listen on 127.0.0.1, port {port}: ")


def test_a_sentence_of_a_stream_is_answered_before_the_next_one_is_sent() -> None:
    sent: list[str] = []

    def body(answered: threading.Event) -> Iterator[bytes]:
        for piece in ({"source": "The ferry leaves at nine."}, {"text": "The ferry leaves at ten. So"}):
            yield json.dumps(piece).encode() + b"\n"
        assert answered.wait(LONG)
        sent.append("the rest")
        yield b'{"text": " says the board."}\n'

    with served("-m", "Faithfulness", "--quiet") as process:
        with connected(process) as connection, connection.makefile("rb") as answer:
            head = b"POST /stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\n"
            connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            answered = threading.Event()

            def send() -> None:
                for piece in body(answered):
                    connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                connection.sendall(b"0\r\n\r\n")

            sending = threading.Thread(target=send)
            sending.start()
            records = (json.loads(line) for line in answer if line.startswith(b"{"))
            first = next(records)
            assert not sent and (first["row"], first["finding"]) == (1, "contradicted")
            assert "ten" in first["why"]
            answered.set()
            second, last = next(records), next(records)
            sending.join(LONG)
        assert second["answer"] == "So says the board." and last == {"passed": False, "sentences": 2}
