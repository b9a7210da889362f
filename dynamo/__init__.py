"""Ordered, paged, metered reading of DynamoDB; see docs/library.md for the tour."""
