"""Addresses that orders go to: countries, what their addresses have, and the form."""
