"""Lists of comments: read by either read model, explained, arranged for their page."""
