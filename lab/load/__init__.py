"""Load by Locust: visitors, customers and staff who use the site as people do."""
