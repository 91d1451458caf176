"""nlgauge serve: what is refused before it listens."""

from __future__ import annotations

import builtins
import socket
from pathlib import Path
from typing import Any

import pytest

from nlgauge.serve.admission import VARIABLE
from tests.command import nlgauge, refused

KEY = "0123456789abcdef-a-key"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The server's part of the command, which here only says what it was told to serve."""
    for library in ("fastapi", "uvicorn", "prometheus_client"):
        pytest.importorskip(library, reason="needs nlgauge[serve]")
    from nlgauge.serve import server

    told: list[Any] = []

    def run(config: Any, sock: socket.socket) -> bool:
        told.append((config, sock.getsockname()))
        sock.close()
        return True

    monkeypatch.setattr(server, "run", run)
    # uvicorn's logging closes all handlers that there are, and absl's closes the stream that pytest captures in.
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)
    monkeypatch.delenv(VARIABLE, raising=False)
    return told


def hosts(told: list[Any]) -> Any:
    return told[0][0].app._hosts


def test_it_listens_on_loopback_and_answers_to_its_names(installed: list[Any]) -> None:
    result = nlgauge("serve", "-m", "TokenF1", "--port", "0")
    assert result.exit_code == 0, result.stderr
    ((config, (address, port)),) = installed
    assert address == "127.0.0.1"
    assert hosts(installed) == {"127.0.0.1", "::1", "localhost"}
    assert result.stderr.splitlines()[0] == f"nlgauge: TokenF1, on http://127.0.0.1:{port}"
    assert config.access_log is False
    assert result.stdout == ""


def test_an_address_that_others_reach_needs_keys_or_a_word(installed: list[Any], tmp_path: Path) -> None:
    refused("serve", "-m", "TokenF1", "--host", "0.0.0.0", "--port", "0", say="others reach 0.0.0.0: give API keys")
    assert not installed
    for options in (["--no-keys"], ["--keys", tmp_path / "keys"]):
        (tmp_path / "keys").write_text(KEY, encoding="utf-8")
        assert nlgauge("serve", "-m", "TokenF1", "--host", "0.0.0.0", "--port", "0", *options).exit_code == 0
        assert hosts(installed) is None
    assert nlgauge("serve", "-m", "TokenF1", "--port", "0", "--allowed-host", "Scores.Example").exit_code == 0
    assert installed[-1][0].app._hosts == {"scores.example"}


def test_keys_and_no_keys_do_not_go_together(installed: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    refused("serve", "--keys", "x", "--no-keys", say="do not go together")
    monkeypatch.setenv(VARIABLE, KEY)
    refused("serve", "--no-keys", say=f"{VARIABLE} holds keys")
    monkeypatch.setenv(VARIABLE, "short")
    refused("serve", say="key 1 has 5 characters")


@pytest.mark.parametrize(
    ("options", "say"),
    [
        (["-m", "Nonsense"], "no metric 'Nonsense'"),
        (["-m", "MaskEval(weights='none.safetensors')"], "none.safetensors"),
        (["-m", "BARTScore"], "model 'pocket' is not an encoder-decoder model"),
        (["-m", "BERTScore", "--precision", "half"], "precision 'half' is not one of"),
    ],
)
def test_what_cannot_be_served_is_said_at_the_start(installed: list[Any], options: list[str], say: str) -> None:
    refused("serve", *options, say=say)
    assert not installed


def test_without_its_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:
        if name.startswith("nlgauge.serve.app") or (name == "nlgauge.serve" and more[2] == ("server",)):
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refused("serve").endswith("pip install 'nlgauge[serve]', or pip install '.[serve]' from a clone")
