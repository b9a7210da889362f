"""Orders: a customer's by status and date, and the queue of open ones."""
