"""Under which name a class of metric is registered: the one place that knows, for specs, columns and files alike."""

from __future__ import annotations

from nlgauge.catalogue.plugins import load_offered, offered

_OWN = "nlgauge.metrics."
_known: dict[type, str] = {}


def registered_name(kind: type) -> str:
    """The class's own name for a built-in metric, else the name under which an installed package offers it.

    A class that nobody registered is ``module:Name``: no spec names it, and no registered one is mistaken for it.
    """
    if kind not in _known:
        _known[kind] = _name(kind)
    return _known[kind]


def _name(kind: type) -> str:
    if kind.__module__.startswith(_OWN):
        return kind.__name__
    package = kind.__module__.partition(".")[0]
    # The entry points of the class's own module come first, so that mostly no other module is imported.
    for name, point in sorted(offered("nlgauge.metrics"), key=lambda one: one[1].module != kind.__module__):
        # What the class's own package offers is loaded, and it alone: it has been imported already.
        if point.module.partition(".")[0] == package and load_offered(name, point) is kind:
            return name
    return f"{kind.__module__}:{kind.__qualname__}"
