"""Shared by pages with a form, and by the API: fields, errors, rate limits."""
