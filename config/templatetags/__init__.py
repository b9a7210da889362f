"""Template tags of the site: how pages were read, forms to send again, links to its documents."""
