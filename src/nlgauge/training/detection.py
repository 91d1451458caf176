"""How well low alignment finds words that are not supported: by the maths that `nlgauge reproduce detection` uses."""

from nlgauge.maths.detection import detection

__all__ = ["detection"]
