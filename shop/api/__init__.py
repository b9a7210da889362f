"""The catalogue and the orders in the site's API (docs/api.md)."""

from shop.api import catalogue, orders
from shop.api.problems import ERRORS, PROBLEM_TYPES
from shop.api.routing import router

OPERATIONS = (catalogue, orders)
"""The modules whose import adds their operations to the router."""

__all__ = ["ERRORS", "OPERATIONS", "PROBLEM_TYPES", "router"]
