"""Keys of the API, and the answers that it has given to requests with an ``Idempotency-Key``."""
