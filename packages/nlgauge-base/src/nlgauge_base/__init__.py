"""The larger model of nlgauge: ``--model base``, or ``NLGAUGE_MODEL=base``. Its files are in ``model/``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Model


def base(precision: str = "float32") -> Model:
    """Return the model `base` in a precision.

    `nlgauge.engine.models.loading.load` can also choose its backend and device.

    Args:
        precision: the precision, such as 'float32'.

    Returns:
        The model.
    """
    from nlgauge.engine.models.loading import load

    return load("base", precision)
