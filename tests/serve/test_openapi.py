"""What /openapi.json says is so: its examples are scored, and every status that is seen is documented."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture
def page(client: Any) -> dict[str, Any]:
    answer = client.get("/openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_the_example_shows_the_words_that_its_source_does_not_support(client: Any, page: dict[str, Any]) -> None:
    examples = page["paths"]["/check"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert len(examples) == 2
    for example in examples.values():
        (row,) = client.post("/check", json=example["value"]).json()["rows"]
        words = [word for text in row["unsupported"] for word in text["words"]]
        assert any("five" in word or "hundred" in word for word in words)
