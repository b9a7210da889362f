"""What `bench` and `compare` found: figures, and the tables, plots and pages made of them."""
