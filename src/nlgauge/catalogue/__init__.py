"""Which metrics and models there are, and under which names."""
