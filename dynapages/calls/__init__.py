"""Calls to DynamoDB: the client, its meter, batches, backoff, and the meaning of failures."""
