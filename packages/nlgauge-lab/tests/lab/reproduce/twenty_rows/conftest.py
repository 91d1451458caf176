"""What the tests of a file have computed of texts is forgotten after the file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.reproduce.twenty_rows import network


@pytest.fixture(scope="module", autouse=True)
def _forgotten(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for place in (network, request.module):
        for computed in vars(place).values():
            if hasattr(computed, "cache_clear"):
                computed.cache_clear()
