"""The users of the project: who they are to the app, and what pages call them.

A user is stored by an id that never changes, the value of a field of the user model; it is shown by
a name that is no e-mail address. The options ``USER_ID``, ``DISPLAY_NAME``, ``FIND_USER`` and
``PROFILE_SLUGS`` say how; docs/installing.md explains them.
"""

import re
from typing import TYPE_CHECKING, Any, Protocol

from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Field
from django.http import HttpRequest
from django.utils.module_loading import import_string
from django.utils.translation import pgettext

from comments.host import COMMENTS
from dynapages.calls import labelled_calls
from dynapages.django import access
from dynapages.django.access import Visitor
from dynapages.django.paging import address_of_item

if TYPE_CHECKING:  # they are models, and this is imported before apps are ready
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

PRIMARY_KEY = "pk"
LONGEST_NAME = 150
"""Characters of a name that is shown: as many as user names of Django have."""
_ADDRESS = re.compile(r"[^\s@]@[^\s@]+\.[^\s@]")


def user_id_of(user: "AbstractBaseUser | AnonymousUser") -> str:
    """Return the id of a user, by which the app stores what they do; empty for nobody."""
    if not user.is_authenticated:
        return ""
    return str(getattr(user, COMMENTS["USER_ID"]))


def display_name_of(user: "AbstractBaseUser | AnonymousUser") -> str:
    """Return the name that is stored with what a user writes, and shown to everybody.

    It is empty where the project has none, and instead of an e-mail address, whole or within other
    words: `author_name` then has a word.
    """
    option: str = COMMENTS["DISPLAY_NAME"]
    if is_path(option):
        value = import_string(option)(user)
    else:
        value = getattr(user, option, "")
        if callable(value):
            value = value()
    name = " ".join(str(value or "").split())
    # A name is shown to everybody.
    if has_address(name) or name == _address_of(user):
        return ""
    return name[:LONGEST_NAME]


def is_path(option: str) -> bool:
    """Return whether ``DISPLAY_NAME`` is the dotted path of a function, and no attribute."""
    return "." in option


def has_address(text: str) -> bool:
    """Return whether there is an e-mail address in a text."""
    return _ADDRESS.search(text) is not None


def _address_of(user: "AbstractBaseUser | AnonymousUser") -> str | None:
    """Return the e-mail address of a user, which may be one that only an intranet knows."""
    name = getattr(type(user), "EMAIL_FIELD", "email")
    return getattr(user, name, None) or None


class HasAuthor(Protocol):
    """A comment, or a report of one."""

    @property
    def author(self) -> str: ...
    @property
    def user_id(self) -> str: ...


def author_name(written: HasAuthor) -> str:
    """Return the name of who wrote something, for pages in the active language.

    Of a user without one it is “Customer”. What was imported without a name stays without.
    """
    if written.author or not written.user_id:
        return written.author
    return nameless()


def nameless() -> str:
    """Return what pages call a user without a name, in the active language."""
    return pgettext("a user without a name", "Customer")


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the visitor that the session names, by the user's id.

    Where that is the primary key nothing is read before the visitor is confirmed, unless the user
    is in an SQL database.
    """
    if id_field().primary_key:
        return access.visitor_of(request)
    user_id = user_id_of(request.user)

    def is_confirmed() -> bool:
        return bool(user_id)

    return Visitor(user_id, is_confirmed)


def id_field() -> "Field[Any, Any]":
    """Return the field of the user model that ``USER_ID`` names. Raises FieldDoesNotExist."""
    options = get_user_model()._meta  # noqa: SLF001 - Django documents it
    name: str = COMMENTS["USER_ID"]
    if name == PRIMARY_KEY:
        return options.pk
    field = options.get_field(name)
    if not isinstance(field, Field):
        raise FieldDoesNotExist(f"{name} of {options.label} is no field of its own.")
    return field


def find_user(user_id: str) -> "AbstractBaseUser | None":
    """Return the active user of an id, metered as ``user``; None where there is none."""
    if not user_id:
        return None
    with labelled_calls("user"):
        user: AbstractBaseUser | None = COMMENTS.load("FIND_USER")(user_id)
    return user


def find_active_user(user_id: str) -> "AbstractBaseUser | None":
    """Read the active user of an id by the project's user model; None where there is none.

    Nothing is read for what cannot be an id, such as letters where ids are numbers.
    """
    field = id_field()
    try:
        value = field.to_python(user_id)
    except ValidationError:
        return None
    if str(value) != user_id or "\0" in user_id:  # a number can be written in many ways
        return None
    users = get_user_model()._default_manager  # noqa: SLF001 - Django documents it
    user = users.filter(**{field.name: value}).first()
    if user is None or not user.is_active or user_id_of(user) != user_id:
        return None
    return user


class Slugs(Protocol):
    """What stands for users in the addresses of their pages; nothing is read for it."""

    def slug_of(self, user_id: str) -> str:
        """Return what stands for a user; its reverse is `user_id_of`."""

    def user_id_of(self, slug: str) -> str:
        """Return the id of a user, whether or not there is one; empty for what is no slug."""


def slug_of(user_id: str) -> str:
    """Return what stands for a user in addresses and in the API; empty for nobody."""
    if not user_id or not COMMENTS["PROFILE_SLUGS"]:
        return user_id
    slugs: Slugs = COMMENTS.load("PROFILE_SLUGS")
    return slugs.slug_of(user_id)


def user_id_in(slug: str) -> str:
    """Return the id of the user that a slug stands for; empty for what is no slug."""
    if not COMMENTS["PROFILE_SLUGS"]:
        return slug
    slugs: Slugs = COMMENTS.load("PROFILE_SLUGS")
    return slugs.user_id_of(slug)


def profile_url(user_id: str) -> str:
    """Return the address of a user's comments; empty for nobody."""
    if not user_id:
        return ""
    return address_of_item("comments:profile", slug_of(user_id))
