"""The basket, stored in the session until its order is placed."""
