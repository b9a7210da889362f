"""The sample data, generated in memory."""
