"""Accounts: users whose profile is an item of the table ``shop``, signed in by Django's own views.

See docs/accounts.md, also for how a site puts a user model of its own in this one's place.
"""
