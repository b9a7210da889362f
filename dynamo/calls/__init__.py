"""Calls to DynamoDB: one client, metered and bounded, and what their failures mean."""
