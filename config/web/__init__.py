"""What this site does around every request: shedding of load, refusals, headers."""
