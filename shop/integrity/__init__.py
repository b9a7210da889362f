"""What the table holds of the catalogue and the orders, compared with what it should hold."""
