"""Shared by pages with a form: fields, errors, rate limits."""
