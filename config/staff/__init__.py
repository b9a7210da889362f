"""Pages for staff about the whole shop: what waits and the last days, and all of a customer."""
