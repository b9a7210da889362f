"""Loading of the sample data, through the site's own services."""
