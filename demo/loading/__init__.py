"""The sample data, written by the services that the site uses."""
