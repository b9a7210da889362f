"""Profiles: the comments of one user."""
