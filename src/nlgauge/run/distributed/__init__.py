"""A run on many processes or machines: Ray (extra `ray`)."""

from __future__ import annotations

from nlgauge.run.distributed.cluster import Cluster

__all__ = ["Cluster"]
