"""Ordered, paged, metered reading of DynamoDB; see docs/reader.md for the tour."""
