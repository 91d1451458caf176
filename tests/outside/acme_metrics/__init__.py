"""A package that is not ours: a metric, a model that only encodes, and a feature of its own."""
