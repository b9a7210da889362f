"""The shop: catalogue, accounts and orders, in one table."""
