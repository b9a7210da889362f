"""Moderation: the queues of reported and hidden comments, the decisions and picks of staff."""
