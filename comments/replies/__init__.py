"""Replies of the shop to comments."""
