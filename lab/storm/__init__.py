"""Storms: many clients on a database that fails, and whether anything was lost."""
