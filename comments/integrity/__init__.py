"""What the table holds of comments, compared with what it should hold."""
