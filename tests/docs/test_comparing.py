from __future__ import annotations

import pytest

from tests.docs.comparing import same


@pytest.mark.parametrize(
    ("shown", "got"),
    [
        ("a 0.123\n", "a 0.123"),
        ("a 0.123", "a 0.124"),
        ("a  \nb", "a\nb\n\n"),
        ("a ... c", "a b c"),
        ("needed 75548", "needed 75012"),
    ],
)
def test_same(shown: str, got: str) -> None:
    assert same(shown, got)


@pytest.mark.parametrize(
    ("shown", "got"),
    [
        ("a 0.123", "a 0.125"),
        ("a 0.123", "b 0.123"),
        ("3 rows", "4 rows"),
        ("0.12", "0.123"),
        ("a", ""),
        ("", "a"),
        ("75548", "78000"),
        ("9999", "9998"),
    ],
)
def test_different(shown: str, got: str) -> None:
    assert not same(shown, got)
