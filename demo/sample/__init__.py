"""The sample data: made, not yet written."""
