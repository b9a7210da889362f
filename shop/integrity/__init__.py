"""Integrity checks of the catalogue and the orders."""
