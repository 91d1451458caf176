"""API keys: where they come from, which fit, and that none is ever shown."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from nlgauge.errors import InputError, SpecError
from nlgauge.serve import keys as module
from nlgauge.serve.keys import VARIABLE, Keys, read_keys

ONE, TWO = "0123456789abcdef", "fedcba9876543210-two"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("header", [f"Bearer {ONE}", f"bearer {TWO}", f"Bearer  {ONE} "])
def test_each_key_fits(header: str) -> None:
    assert Keys([ONE, TWO]).fit(header)


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", ONE, f"Basic {ONE}", f"Bearer {ONE}x", f"Bearer {ONE[:-1]}", "Bearer \xff"],
)
def test_nothing_else_fits(header: str | None) -> None:
    assert not Keys([ONE, TWO]).fit(header)


def test_without_keys_all_come_in() -> None:
    assert Keys().fit(None)
    assert not Keys()


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


def test_a_file_holds_a_key_a_line(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# of the team\n\n{ONE}\r\n  {TWO}  \n", encoding="utf-8")
    keys = read_keys(file)
    assert keys.fit(f"Bearer {ONE}") and keys.fit(f"Bearer {TWO}")
    assert not keys.fit("Bearer # of the team")


def test_the_environment_holds_keys_where_there_is_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, f" {ONE}\n{TWO}")
    assert read_keys(None).fit(f"Bearer {TWO}")
    (tmp_path / "keys").write_text(ONE, encoding="utf-8")
    assert not read_keys(tmp_path / "keys").fit(f"Bearer {TWO}")


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


def test_a_file_that_is_not_there_and_a_short_key_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_keys(tmp_path / "none")
    monkeypatch.setenv(VARIABLE, "secret")
    with pytest.raises(SpecError, match="key 1 has 6 characters") as refused:
        read_keys(None)
    assert "secret" not in str(refused.value)
    monkeypatch.setenv(VARIABLE, "")
    with pytest.raises(SpecError, match="there is no key"):
        read_keys(None)
