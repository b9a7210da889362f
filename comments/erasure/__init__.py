"""What is deleted when a user's data is to be erased."""
