"""The activity log: events of orders and comments, in a table for each month (P3)."""
