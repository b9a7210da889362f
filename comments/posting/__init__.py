"""Posting, editing and deleting comments."""
