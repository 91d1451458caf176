"""Metrics with the errors of published programs: `published/Name` in a spec. Each file has one metric, or related
metrics.
"""
