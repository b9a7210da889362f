columns   which column holds which field
reading   one record made a comment, or refused with a reason
run       the import, in two passes
========  =============================================================================
"""
=======
"""Imports of comments from files, whose format is in docs/importing.md."""
