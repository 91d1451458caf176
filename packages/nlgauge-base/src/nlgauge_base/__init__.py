"""The larger model of nlgauge, whose files lie in ``model/``: ``--model base``, or ``NLGAUGE_MODEL=base``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Model


def base(precision: str = "float32") -> Model:
    """The model in a precision; `nlgauge.engine.models.loading.load` also takes a backend and a device for it."""
    from nlgauge.engine.models.loading import load

    return load("base", precision)
