"""Who may come in, with which keys, and what is said and logged of an answer."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.serve import admission as module
from nlgauge.serve.admission import VARIABLE, Keys, read_keys

Serving = Callable[..., AbstractContextManager[Any]]
KEY = "0123456789abcdef-a-key"
BODY = {"rows": [{"candidate": "a secret", "references": ["a secret"]}], "metrics": ["TokenF1"]}
ONE, TWO = "0123456789abcdef", "fedcba9876543210-two"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_a_key_opens_what_is_not_open(serving: Serving) -> None:
    with serving(keys=(KEY,)) as client:
        for path in ("/metrics-list", "/metrics", "/openapi.json", "/none"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert client.post("/score", json=BODY).status_code == 401
        assert client.post("/score", json=BODY, headers={"authorization": f"Bearer {KEY}x"}).status_code == 401
        assert client.post("/score", json=BODY, headers={"authorization": f"Bearer {KEY}"}).status_code == 200
        for path in ("/", "/health", "/ready"):
            assert client.get(path).status_code == 200


def test_headers_that_are_too_large_are_told_so(client: Any) -> None:
    for sent in ({"x": "a" * 70_000}, {f"x-{n}": "a" * 500 for n in range(40)}):
        answer = client.get("/health", headers=sent)
        assert (answer.status_code, answer.headers["connection"]) == (431, "close")
        assert answer.json()["error"].startswith("the headers and the path are larger than 16384 bytes")
    assert client.get("/health", headers={"x": "a" * 8000}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "127.0.0.1@evil.example:80x"])
def test_a_request_to_another_name_is_refused(client: Any, host: str) -> None:
    for path in ("/", "/metrics-list"):
        assert client.get(path, headers={"host": host}).status_code == 421


def test_the_log_has_a_line_for_each_request_and_nothing_that_a_client_wrote(
    serving: Serving, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(log=True, keys=(KEY,)) as client:
        own = {"authorization": f"Bearer {KEY}", "user-agent": "secret"}
        client.post("/score?secret=1", json=BODY, headers=own)
        client.post("/score", json={"rows": [{"candidate": ["secret"]}]}, headers=own)
        client.get("/secret", headers=own)
        client.request("SECRET", "/score", headers=own)
    lines = capfd.readouterr().err.splitlines()
    shapes = [line.rsplit(" ", 2)[0] for line in lines]
    assert shapes == [
        "nlgauge: POST /score 200",
        "nlgauge: POST /score 422",
        "nlgauge: GET other 404",
        "nlgauge: other /score 405",
    ]
    assert not [line for line in lines if "secret" in line or KEY in line]


def test_every_key_is_compared_whichever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counted(first: bytes, second: bytes) -> bool:
        compared.append(len(first))
        return first == second

    monkeypatch.setattr(module.hmac, "compare_digest", counted)
    for header in (f"Bearer {ONE}", f"Bearer {TWO}", "Bearer short", None):
        compared.clear()
        Keys([ONE, TWO]).fit(header)
        assert compared == [32, 32]
    assert module.hmac is hmac


@pytest.mark.parametrize(
    ("content", "say"),
    [
        (b"", "there is no key"),
        (b"# nothing\n\n", "there is no key"),
        (b"0123456789abcdef\nsecret\n", "key 2 has 6 characters, fewer than 16"),
        ("sécretsécretsécretsécret".encode(), "key 1 has characters that no header can hold"),
        (b"secret secret secret", "key 1 has characters that no header can hold"),
        (b"\xff" * 20, "cannot be read: not UTF-8"),
    ],
)
def test_a_file_without_good_keys_is_refused_and_shows_none(tmp_path: Path, content: bytes, say: str) -> None:
    file = tmp_path / "keys"
    file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_keys(file)
    assert say in str(refused.value)
    assert "ecret" not in str(refused.value)
