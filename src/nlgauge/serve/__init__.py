"""The service: the same numbers over HTTP, for many clients at once, with limits. Extra `serve`."""
