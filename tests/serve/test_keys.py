"""API keys: where they come from, which fit, and that none is ever shown."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge.serve import admission as module
from nlgauge.serve.admission import VARIABLE, Keys, read_keys

ONE, TWO = "0123456789abcdef", "fedcba9876543210-two"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


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
