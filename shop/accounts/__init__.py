"""Accounts: users whose profile is an item of the table ``shop``, signed in by Django's own views.

See docs/accounts.md, also for replacing the user model by one of your own.
"""
