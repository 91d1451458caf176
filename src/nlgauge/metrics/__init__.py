"""One metric, or family of metrics, a file; the registry finds them here. `nlgauge.metrics()` lists them."""

from __future__ import annotations

import sys
from types import ModuleType


class _Listing(ModuleType):
    """This folder, which has the name that the function is asked for by, and so has to be the function too."""

    def __call__(self) -> list[str]:
        """The names of all metrics, in alphabetical order, then those of installed packages."""
        from nlgauge.catalogue.registry import names

        return names()


sys.modules[__name__].__class__ = _Listing
