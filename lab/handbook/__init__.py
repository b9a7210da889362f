"""The documentation, shown as pages of the site."""
