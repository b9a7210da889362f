"""The queue of reported and hidden comments, and what staff decide on them."""
