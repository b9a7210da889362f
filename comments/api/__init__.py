"""The comments in an API of django-ninja: see docs/api.md. A project adds ``router`` to its own.

Ids of comments may hold slashes, so each address ends with its id. What a key may do is as on the
pages: ``write`` acts as its user, ``staff`` as one of the staff.
"""

from comments.api import comments, lists, staff
from comments.api.problems import ERRORS
from comments.api.routing import router

OPERATIONS = (lists, comments, staff)
"""The modules whose import adds their operations to the router."""

__all__ = ["ERRORS", "OPERATIONS", "router"]
