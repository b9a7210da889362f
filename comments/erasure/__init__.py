"""Erasure of a user's comments, votes, reports and replies."""
