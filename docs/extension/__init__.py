"""What the site is built with: a metric's facts from its class, and docstrings as reStructuredText."""
