"""Shared by the shop's pages: access rules, redirects after forms, rate limits."""
