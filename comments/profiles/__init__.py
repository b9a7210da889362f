"""What one user wrote."""
