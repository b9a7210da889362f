"""Bans: the page on which staff see the topics of a product, and ban words as topics."""
