"""A user's data: erasing comments, votes, reports and replies, and exporting all that is stored."""
