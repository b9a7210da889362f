"""What this site does around every request: load shedding, errors, headers, answers to forms."""
