"""Upkeep: integrity checks with repair, and erasure of a person's data."""
