"""The page of `nlgauge trust`."""
