"""Writes: transactions with retries, sharded counters, rate limits."""
