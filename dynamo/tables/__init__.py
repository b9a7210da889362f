"""Tables: creating those that the models declare, and their provisioned capacity."""
