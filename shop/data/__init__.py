"""Imports of orders, of Olist's folder and of any shop: see docs/importing-orders.md."""
