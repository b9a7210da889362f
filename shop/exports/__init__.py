"""Exports of orders, in the plain shape that imports read."""
