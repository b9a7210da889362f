"""Template tags of the site: links to its documentation."""
