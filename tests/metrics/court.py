"""A scripted server of judges, on this machine: what it answers, how it errs, and what it was asked, are known."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Says = Callable[[str], float]
"""The probability of yes, by the text that is asked about"""


class Court(ThreadingHTTPServer):
    """Answers by `says`; a test changes the rest."""

    daemon_threads = True

    def __init__(self, says: Says) -> None:
        super().__init__(("127.0.0.1", 0), Hearing)
        self.says = says
        self.model = "judge-1"
        self.models = ["judge-1"]
        self.logprobs = True
        self.refuses: tuple[str, ...] = ()
        """Parameters that are refused by a 400 that names them"""
        self.before: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], bytes] | None] = lambda n, body: None
        """What is answered instead, by the number of the request: code, headers, content"""
        self.change: Callable[[dict[str, Any]], object] = lambda reply: reply
        self.slow = 0.0
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.now = self.most = 0
        self.lock = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that went away."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def asked(self) -> Counter[str]:
        """How often each text was asked about, without the first short question of each run."""
        return Counter(text for text in map(text_of, self.bodies) if "Water is wet." not in text)


@contextmanager
def court(says: Says = lambda text: 0.5) -> Iterator[Court]:
    with Court(says) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def text_of(body: dict[str, Any]) -> str:
    found = [body[name] for name in ("input", "state", "prompt") if name in body]
    return str(found[0] if found else body["messages"][0]["content"])


def chance(text: str) -> float:
    """A number from 0 to 1 that depends on a text alone, as if drawn."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / (1 << 48)


class Hearing(BaseHTTPRequestHandler):
    """One request."""

    server: Court
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert self.path in ("/v1", "/v1/models")
        models = {"data": [{"id": name} for name in self.server.models]}
        self._say(200, {}, json.dumps({"model": self.server.model, **models}).encode())

    def do_POST(self) -> None:
        court, body = self.server, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with court.lock:
            court.bodies.append(body)
            court.headers.append(dict(self.headers))
            number = len(court.bodies)
            court.now += 1
            court.most = max(court.most, court.now)
        time.sleep(court.slow)
        with court.lock:
            court.now -= 1
        if instead := court.before(number, body):
            self._say(*instead)
            return
        if refused := [name for name in court.refuses if name in body]:
            error = {"error": {"message": f"Unsupported parameter: '{refused[0]}'."}}
            self._say(400, {}, json.dumps(error).encode())
            return
        reply = self._reply(body, court.says(text_of(body)))
        self._say(200, {}, json.dumps(court.change(reply)).encode())

    def _reply(self, body: dict[str, Any], yes: float) -> dict[str, Any]:
        if "prompt" in body:
            return {"answer": yes}
        usage = {"prompt_tokens": 10, "completion_tokens": 1}
        if self.path == "/v1/decisions":
            (question,) = body["questions"]
            assert question["type"] == "predicate" and question["instructions"]
            answer = {"type": "predicate", "name": question["name"], "probability": yes}
            return {"model": self.server.model, "answers": [answer], "usage": {"input_tokens": 10, "output_tokens": 0}}
        if self.path == "/v1/systemone":
            (name,) = body["questions"]
            assert body["questions"][name]["type"] == "noul"
            answers = {name: {"type": "noul", "noul": yes}}
            return {"model": self.server.model, "answers": answers, "usage": {"input_tokens": 10, "output_tokens": 0}}
        assert self.path == "/v1/chat/completions"
        word = "Yes" if yes >= 0.5 else " no"
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": word.strip()}, "finish_reason": "stop"}
        if self.server.logprobs and body.get("logprobs"):
            # Spelt in several ways, beside what is no answer.
            shares = [("Yes", 0.75 * yes), ("yes", 0.25 * yes), (" no", 1 - yes), ("Maybe", 1.0)]
            top = [{"token": token, "logprob": math.log(p * 0.5)} for token, p in shares if p > 0]
            choice["logprobs"] = {"content": [{"token": word, "logprob": -1.0, "top_logprobs": top}]}
        return {"model": self.server.model, "choices": [choice], "usage": usage}

    def _say(self, code: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing on stderr."""
