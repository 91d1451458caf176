"""One metric, or family of metrics, a file; the registry finds them here."""
