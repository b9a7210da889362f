"""The activity log: what happened to orders and comments, in a table for each month (P3)."""
