"""System checks of all that the app needs of a project; docs/installing.md has the lines."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's own names
from django.core.exceptions import FieldDoesNotExist
from django.db.models import EmailField, Field
from django.shortcuts import resolve_url
from django.template import Engine, TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader_tags import BlockNode, ExtendsNode
from django.urls import NoReverseMatch, Resolver404, resolve, reverse
from django.utils.module_loading import import_string

from comments.host import COMMENTS, DEFAULTS, is_searchable
from comments.users import id_field, is_path
from dynapages.calls import FAILURES, sentence_about
from dynapages.django.checks import unread_template
from dynapages.django.jinja import template_folders
from dynapages.process import client
from dynapages.tables import TableDiffers, require_ready

PATHS = ("PRODUCTS", "HAS_BOUGHT", "FIND_USER", "PROFILE_SLUGS", "GATE", "DUE_PURCHASES")
"""Options that are dotted paths."""
NAMES = ("get_short_name", "get_full_name", "first_name", "name")
"""What user models have that may be shown, if it is no address; a hint names one of them."""
MODEL = "comments.models.Comment"
COPIES = "comments.sets.models.CommentSetItem"
"""The model of the table of the read model "sets"."""
WORDS = "comments.search.models.WordItem"
"""The model of the table of the words of comments."""
READ_MODELS = {"indexes": (MODEL,), "sets": (MODEL, COPIES)}
MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dynapages.django.middleware.RefusalMiddleware",
)
"""Each, or a class made from it, is needed."""
REMOVED_TEMPLATES = {"comments/lists/_skip_link.html": "comments/lists/list.html"}
"""Removed templates that have no successor of the same path, and where their words are now."""
DJANGOS_ENGINE = "django.template.backends.django.DjangoTemplates"
CONTEXT_PROCESSORS = (
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
)


def check_project(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Return a message for each thing that a page of comments would fail for.

    Its id is ``comments.`` and the option, or the name of the class or function that is missing.
    """
    del app_configs
    messages: list[CheckMessage] = []
    for check in (_options, _tables, _middleware, _scripts, _templates, _addresses, _users):
        messages += check()
    return messages


def check_tables(
    app_configs: Sequence[AppConfig] | None, *, databases: Sequence[str] | None = None, **_: object
) -> list[CheckMessage]:
    """Return a warning for a table that cannot be used: for ``check --database default``.

    It is no error, since ``migrate`` asks as well, and may be run before ``create_tables``.
    """
    del app_configs
    if not databases or list(_tables()):
        return []
    for path in _models():
        model = import_string(path)
        try:
            require_ready(client(), model)
        except TableDiffers as differs:
            return [Warning(differs.detail, id="comments.tables")]
        except FAILURES as failure:
            what = f"{model.Meta.table_name}: {sentence_about(failure)}"
            hint = "Run 'manage.py create_tables' where the database can be reached."
            return [Warning(what, hint=hint, id="comments.create_tables")]
    return []


def _error(name: str, what: str, hint: str) -> Error:
    return Error(what, hint=hint, id=f"comments.{name}")


def _options() -> Iterator[CheckMessage]:
    """Yield an error for each option that is unknown or missing, or a path of nothing."""
    for option in sorted(COMMENTS.given().keys() - DEFAULTS.keys()):
        known = get_close_matches(option, DEFAULTS, n=1) or sorted(DEFAULTS)
        what = f"COMMENTS[{option!r}] is not an option."
        yield _error(option, what, f"Use {', '.join(known)}.")
    if not COMMENTS["PRODUCTS"]:
        what = "COMMENTS['PRODUCTS'] is missing."
        yield _error("PRODUCTS", what, "Set it to a dotted path.")
    paths = list(PATHS)
    if is_path(COMMENTS["DISPLAY_NAME"]):
        paths.append("DISPLAY_NAME")
    for option in paths:
        try:
            for path in COMMENTS.paths(option):
                import_string(path)
        except ImportError as error:
            what = f"COMMENTS[{option!r}] is {COMMENTS[option]!r}: {error}."
            yield _error(option, what, "Correct the path.")
    if COMMENTS["TOPICS"] and not is_searchable():
        what = "COMMENTS['TOPICS'] is on without 'SEARCH': each topic is a link to a search."
        yield _error("TOPICS", what, "Switch 'SEARCH' on as well, or 'TOPICS' off.")


def _models() -> list[str]:
    """Return the dotted paths of the models whose tables the options need."""
    models = list(READ_MODELS.get(COMMENTS["READ_MODEL"], ()))
    if COMMENTS["SEARCH"]:
        models.append(WORDS)
    return models


def _tables() -> Iterator[CheckMessage]:
    if COMMENTS["READ_MODEL"] not in READ_MODELS:
        what = f"COMMENTS['READ_MODEL'] is {COMMENTS['READ_MODEL']!r}."
        yield _error("READ_MODEL", what, f"Use one of {', '.join(READ_MODELS)}.")
    for name in set(_models()).difference(settings.DYNAMODB_MODELS):
        what = f"DYNAMODB_MODELS lacks {name}: create_tables would not create its table."
        yield _error("DYNAMODB_MODELS", what, f"Add {name!r} to DYNAMODB_MODELS.")


def _middleware() -> Iterator[CheckMessage]:
    """Yield an error for each needed middleware that is not in ``MIDDLEWARE``."""
    installed = [import_string(path) for path in settings.MIDDLEWARE]
    classes = [middleware for middleware in installed if isinstance(middleware, type)]
    for path in MIDDLEWARE:
        needed = import_string(path)
        if not any(issubclass(middleware, needed) for middleware in classes):
            name = path.rpartition(".")[2]
            yield _error(name, f"MIDDLEWARE lacks {path}.", f"Add {path!r} to MIDDLEWARE.")


def _scripts() -> Iterator[CheckMessage]:
    if not apps.is_installed("django_htmx"):
        what = "INSTALLED_APPS lacks 'django_htmx', whose script pages load."
        yield _error("django_htmx", what, "Add 'django_htmx' to INSTALLED_APPS.")


def _templates() -> Iterator[CheckMessage]:
    """Yield errors of the setting ``TEMPLATES``, and of the base template."""
    engines: list[dict[str, Any]] = []
    for engine in settings.TEMPLATES:
        if engine["BACKEND"] == DJANGOS_ENGINE:
            engines.append(engine)
    yield from _context_processors(engines)
    if any(_finds_templates_of_apps(engine) for engine in engines):
        yield from _base_template()
        yield from _removed_templates()
    else:
        hint = "Set 'APP_DIRS': True in TEMPLATES, for Django's own engine."
        yield _error("APP_DIRS", "The templates of the app cannot be found.", hint)


def _context_processors(engines: Sequence[Mapping[str, Any]]) -> Iterator[CheckMessage]:
    """Yield an error for each needed context processor that no engine has."""
    used: set[str] = set()
    for engine in engines:
        used.update(engine.get("OPTIONS", {}).get("context_processors", ()))
    for path in CONTEXT_PROCESSORS:
        if path not in used:
            what = f"No engine in TEMPLATES has the context processor {path}."
            hint = f"Add {path!r} to the 'context_processors' in its 'OPTIONS'."
            yield _error(path.rpartition(".")[2], what, hint)


def _finds_templates_of_apps(engine: Mapping[str, Any]) -> bool:
    return engine.get("APP_DIRS") or "loaders" in engine.get("OPTIONS", {})


def _base_template() -> Iterator[CheckMessage]:
    """Yield an error where the base template cannot be used, or would show nothing."""
    base = COMMENTS["BASE_TEMPLATE"]
    try:
        nodes = Engine.get_default().get_template(base).nodelist
    except (TemplateDoesNotExist, TemplateSyntaxError) as error:
        what = f"The template {base!r}, which all pages extend, cannot be used: {error}."
        hint = "Write it, or name another one in COMMENTS['BASE_TEMPLATE']."
        yield _error("BASE_TEMPLATE", what, hint)
        return
    blocks = [node for node in nodes.get_nodes_by_type(BlockNode) if isinstance(node, BlockNode)]
    has_content = any(block.name == "content" for block in blocks)
    # One that extends another may leave the block to that.
    if not has_content and not nodes.get_nodes_by_type(ExtendsNode):
        what = f"The template {base!r} has no block 'content': pages would be empty."
        hint = "Put {% block content %}{% endblock %} where pages are to show what they say."
        yield _error("BASE_TEMPLATE", what, hint)


def _removed_templates() -> Iterator[CheckMessage]:
    """Yield a warning for each template of the project that overrides one that is gone."""
    for name, instead in REMOVED_TEMPLATES.items():
        for folder in template_folders(Engine.get_default()):
            path = folder / name
            if path.is_file():
                yield unread_template(path, instead)


def _addresses() -> Iterator[CheckMessage]:
    """Yield an error without URLs of comments, and a warning without a page to sign in."""
    try:
        reverse("comments:product", args=["1"])
    except NoReverseMatch:
        what = "The project has no addresses for the pages of comments."
        hint = "Add path('reviews/', include('comments.urls')) to the urlpatterns."
        yield _error("urls", what, hint)
    try:
        url = resolve_url(settings.LOGIN_URL)
        if url.startswith("/"):
            resolve(url.partition("?")[0])
    except (NoReverseMatch, Resolver404):
        what = f"LOGIN_URL is {settings.LOGIN_URL!r}, which is no page: nobody could sign in."
        hint = "Add path('accounts/', include('django.contrib.auth.urls')), or set LOGIN_URL."
        yield Warning(what, hint=hint, id="comments.LOGIN_URL")


def _users() -> Iterator[CheckMessage]:
    """Yield errors of the user model, and of what the options say of it."""
    users = get_user_model()
    if not hasattr(users, "is_staff"):
        what = f"{users.__name__} has no is_staff, by which pages know who may moderate."
        yield _error("is_staff", what, "Add a field or a property of this name.")
    yield from _user_ids(users)
    yield from _display_names(users)
    yield from _profile_slugs()


def _user_ids(users: type[AbstractBaseUser]) -> Iterator[CheckMessage]:
    """Yield an error where ``USER_ID`` names no unique field, or one of e-mail addresses."""
    what = f"COMMENTS['USER_ID'] is {COMMENTS['USER_ID']!r}"
    hint = "Name a unique field whose values never change, or leave it out for the primary key."
    try:
        field = id_field()
    except FieldDoesNotExist:
        yield _error("USER_ID", f"{what}: {users.__name__} has no such field.", hint)
        return
    if _holds_addresses(field, users):
        addresses = "e-mail addresses, which are nobody else's business, and change"
        yield _error("USER_ID", f"{what}: {field.name} of {users.__name__} has {addresses}.", hint)
    elif not _is_unique(field, users):
        yield _error("USER_ID", f"{what}: {field.name} of {users.__name__} is not unique.", hint)


def _display_names(users: type[AbstractBaseUser]) -> Iterator[CheckMessage]:
    """Yield an error where ``DISPLAY_NAME`` names nothing, or e-mail addresses."""
    option: str = COMMENTS["DISPLAY_NAME"]
    if is_path(option):
        return
    what = f"COMMENTS['DISPLAY_NAME'] is {option!r}"
    hint = _hint_of_display_name(users, option)
    if not hasattr(users, option):
        yield _error("DISPLAY_NAME", f"{what}: {users.__name__} has no such attribute.", hint)
        return
    name = getattr(users, "USERNAME_FIELD", option) if option == "get_username" else option
    try:
        field = users._meta.get_field(name)  # noqa: SLF001 - Django documents it
    except FieldDoesNotExist:  # a method, or a property
        return
    if isinstance(field, Field) and _holds_addresses(field, users):
        addresses = "e-mail addresses, which are not shown: nobody would have a name"
        what = f"{what}: {field.name} of {users.__name__} has {addresses}."
        yield _error("DISPLAY_NAME", what, hint)


def _hint_of_display_name(users: type[AbstractBaseUser], option: str) -> str:
    """Return what to set ``DISPLAY_NAME`` to instead, an attribute of the model if one fits."""
    others = "an attribute or method of the user, or the path of a function of it"
    for name in NAMES:
        if hasattr(users, name) and name != option:
            return f"Set it to {name!r}, or to {others}."
    return f"Set it to {others}."


def _profile_slugs() -> Iterator[CheckMessage]:
    """Yield an error where ``PROFILE_SLUGS`` names an object without its methods."""
    if not COMMENTS["PROFILE_SLUGS"]:
        return
    try:
        slugs = COMMENTS.load("PROFILE_SLUGS")
    except ImportError:  # which is an error already
        return
    methods = ("slug_of", "user_id_of")
    missing = [name for name in methods if not callable(getattr(slugs, name, None))]
    if missing:
        what = f"COMMENTS['PROFILE_SLUGS'] has no {' and no '.join(missing)}."
        yield _error("PROFILE_SLUGS", what, "Name an object as `comments.users.Slugs` is.")


def _holds_addresses(field: "Field[Any, Any]", users: type[AbstractBaseUser]) -> bool:
    return isinstance(field, EmailField) or field.name == getattr(users, "EMAIL_FIELD", "email")


def _is_unique(field: "Field[Any, Any]", users: type[AbstractBaseUser]) -> bool:
    constraints = users._meta.total_unique_constraints  # noqa: SLF001 - as Django's own check does
    of_this_field = [one for one in constraints if one.fields == (field.name,)]
    return field.unique or bool(of_this_field)
