"""Streams: a table's changes, read in order and at least once."""
