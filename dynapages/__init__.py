"""A library for DynamoDB: exact pages of merged queries, metered calls, transactions, streams.

See docs/library.md.
"""
