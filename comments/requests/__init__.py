"""Requests for reviews: e-mails to those who have bought, and what came of them."""
