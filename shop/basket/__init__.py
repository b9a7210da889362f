"""The basket, kept in the session until an order is placed from it."""
