"""The library for PynamoDB: models in, models out."""
