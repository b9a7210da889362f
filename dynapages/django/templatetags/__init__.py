"""Template tags of the library: pagers, moments, templates of Jinja2, the site's name."""
