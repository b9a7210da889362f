"""The only reader of the process environment, and what is kept between runs."""
