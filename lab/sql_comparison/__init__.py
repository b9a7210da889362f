"""The comments in PostgreSQL, read by Django's ORM as a good SQL shop would, to compare with."""
