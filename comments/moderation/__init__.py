"""Moderation: the queues of reported and hidden comments, and the decisions of staff."""
