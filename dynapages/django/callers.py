"""Who calls an API: a key, its user, and the scope it may be used for."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it is a model, and this is imported before apps are ready
    from django.contrib.auth.base_user import AbstractBaseUser

OPERATION = "dynapages.operation"
"""In ``request.META``: the ``operationId`` of the operation of an API that a request is for."""


class Scope(StrEnum):
    """What a key of an API may be used for; each scope includes those before it."""

    READ = "read"
    WRITE = "write"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key of an API, the id of its user (empty for nobody), and its scope; nobody's has none.

    An authenticator that has loaded the ``user`` may give it, so that it is not read again.
    """

    id: str
    user_id: str
    scope: Scope | None
    user: "AbstractBaseUser | None" = field(default=None, kw_only=True, repr=False, compare=False)

    def allows(self, scope: Scope) -> bool:
        """Return whether the key may be used for what needs a scope."""
        if self.scope is None:
            return False
        in_order = list(Scope)
        return in_order.index(self.scope) >= in_order.index(scope)
