"""Under which name a class of metric is registered: the one place that knows, for specs, columns and files alike."""

from __future__ import annotations

from nlgauge.catalogue.plugins import load_offered, offered

_OWN, _PUBLISHED = "nlgauge.metrics.", "nlgauge.metrics.published."
_known: dict[type, str] = {}


def registered_name(kind: type) -> str:
    """A built-in metric's own name, ``published/Name``, or ``package/Name`` of one that an installed package offers.

    A class that nobody registered is ``module:Name``: no spec names it, and no registered one is mistaken for it.
    """
    if kind not in _known:
        _known[kind] = _name(kind)
    return _known[kind]


def _name(kind: type) -> str:
    module = kind.__module__ + "."
    if module.startswith(_OWN):
        return ("published/" if module.startswith(_PUBLISHED) else "") + kind.__name__
    package = module.partition(".")[0]
    for name, point in offered("nlgauge.metrics"):
        # What the class's own package offers is loaded, and it alone: it has been imported already.
        if point.module.partition(".")[0] == package and load_offered(name, point) is kind:
            return name
    return f"{kind.__module__}:{kind.__qualname__}"
