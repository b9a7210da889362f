"""The environment: variables, the kept secret key, the note of a running demo."""
