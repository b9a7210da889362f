"""Imports of comments from files; their format is in docs/importing.md.

========  =============================================================================
columns   which column holds which field
reading   one record made a comment, or refused with a reason
run       the import, in two passes
========  =============================================================================
"""
