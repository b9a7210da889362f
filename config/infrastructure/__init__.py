"""Infrastructure: tables, roles, functions and alarms, derived from the models."""
