"""Tables: creating or describing those that the models declare, and their provisioned capacity."""
