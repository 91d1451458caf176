"""nlgauge in other people's pipelines: one file for each of them, which imports that framework and nothing else does.

Every adapter calls `nlgauge.evaluate`, so that its numbers are those of a run on the same rows. Nothing here is
imported before it is asked for, by its own name: ``from nlgauge.adapters.torchmetrics import NLGaugeMetric``.
"""
