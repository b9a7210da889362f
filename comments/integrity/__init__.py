"""Integrity checks of comments and of what depends on them."""
