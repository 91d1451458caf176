"""The service: the same numbers as the command, over HTTP, for many clients at once, with limits. Extra `serve`."""
