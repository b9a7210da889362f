"""Upkeep: what is stored compared with what it should be, and erased on request."""
