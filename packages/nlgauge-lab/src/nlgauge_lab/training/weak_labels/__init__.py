"""Labelled examples made from texts without labels: it is known of each word whether the context supports it."""
