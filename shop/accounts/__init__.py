"""Accounts: users whose profile is an item of the table ``shop``; see docs/accounts.md."""
