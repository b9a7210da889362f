"""Settings, URLs, system checks, and the commands that use several apps."""
