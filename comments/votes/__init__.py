"""Votes: whether users find a comment helpful."""
