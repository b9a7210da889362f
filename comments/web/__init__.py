"""What every page with a form needs: its fields, its errors, its rate limits."""
