"""Writes: transactions and their retries, counters, limits, writes in the background."""
