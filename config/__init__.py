"""The composition root: settings, URLs, and the commands that tie the apps together."""
