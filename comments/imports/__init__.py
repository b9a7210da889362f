"""Import of comments from files: docs/importing.md says what a file may hold.

========  =============================================================================
columns   which column holds which field
reading   one record made a comment, or refused with a reason
run       the import, in two passes
========  =============================================================================
"""
