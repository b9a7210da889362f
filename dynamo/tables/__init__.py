"""Tables: created to fit their models, and their provisioned capacity."""
