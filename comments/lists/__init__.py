"""Lists of comments: queries by either read model, their cost, and their pages."""
