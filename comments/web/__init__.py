"""Shared by pages of comments: forms, their errors and rate limits; anchors, ETags, JSON-LD."""
