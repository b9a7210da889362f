"""Webhooks: what happens here, sent to addresses of other systems, signed, and at least once."""
