"""Metrics as published programs compute them, errors included: `published/Name` in a spec. One file a family."""
