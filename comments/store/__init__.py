"""What the table holds of a comment, and the one transaction that changes it."""
