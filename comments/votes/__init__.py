"""Votes: which comments readers found helpful."""
