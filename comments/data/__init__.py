"""Imports of comments from files, whose format is in docs/importing.md."""
