"""Each file has one metric or family of metrics. The registry finds them here, and `nlgauge.metrics()` lists them."""

from __future__ import annotations

import sys
from types import ModuleType


class _Listing(ModuleType):
    """Makes this package callable, because the function `nlgauge.metrics` has the same name."""

    def __call__(self) -> list[str]:
        """The names of all metrics in alphabetical order, then metrics of installed packages."""
        from nlgauge.metrics.registry import names

        return names()


sys.modules[__name__].__class__ = _Listing
