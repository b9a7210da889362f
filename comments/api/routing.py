"""The router of the comments' operations, and the keys that they need."""

from ninja import Router

from dynapages import ninja
from dynapages.django.callers import Scope

READ = ninja.KEY_OR_NOBODY
WRITE = ninja.KeyAuth(Scope.WRITE)
STAFF = ninja.KeyAuth(Scope.STAFF)

router = Router(tags=["comments"])
