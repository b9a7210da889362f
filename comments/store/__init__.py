"""Stored comments: how they are loaded, and the transaction that changes them."""
