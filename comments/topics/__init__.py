"""What buyers say about a product: topics, each with how many comments have its word."""
