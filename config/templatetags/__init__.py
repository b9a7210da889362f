"""Template tags of the site: how pages were read, and forms to send again."""
