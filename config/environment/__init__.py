"""The environment: variables, the secret key, a running demo, the version of Django."""
