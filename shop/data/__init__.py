"""What brings rows in and out: imports of orders, products and pickup points, and exports."""
