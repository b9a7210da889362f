"""Template tags of the site: how pages were read, links to its documents, forms to send again."""
