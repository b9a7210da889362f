"""Entries of the activity log in the words of the visitor's language."""

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.order_status import Status

KINDS: dict[Kind, Promise] = {
    Kind.ORDER: gettext_lazy("Orders"),
    Kind.COMMENT: gettext_lazy("Comments"),
    Kind.MODERATION: gettext_lazy("Moderation"),
}
SENTENCES: dict[LogVerb, Promise] = {
    LogVerb.PLACED: gettext_lazy("%(who)s placed order %(id)s"),
    LogVerb.MOVED: gettext_lazy("%(who)s moved order %(id)s"),
    LogVerb.POSTED: gettext_lazy("%(who)s posted a comment"),
    LogVerb.EDITED: gettext_lazy("%(who)s edited a comment"),
    LogVerb.DELETED: gettext_lazy("%(who)s deleted a comment"),
    LogVerb.KEPT: gettext_lazy("%(who)s kept a comment"),
    LogVerb.HIDDEN: gettext_lazy("%(who)s hid a comment"),
    LogVerb.RESTORED: gettext_lazy("%(who)s restored a comment"),
    LogVerb.PICKED: gettext_lazy("%(who)s picked a comment"),
    LogVerb.UNPICKED: gettext_lazy("%(who)s unpicked a comment"),
    LogVerb.REPLIED: gettext_lazy("%(who)s replied to a comment"),
    LogVerb.REPLY_DELETED: gettext_lazy("%(who)s deleted the reply to a comment"),
}
STATES: dict[str, Promise] = {
    "REPORTED": pgettext_lazy("the comment is", "reported"),
    "HIDDEN": pgettext_lazy("the comment is", "hidden"),
    "LISTED": pgettext_lazy("the comment is", "listed"),
}


def sentence_of(entry: LogEntry) -> SafeString:
    """Return HTML that says who did what, with the user's name set off."""
    who = entry.who or _("A command")
    values = {
        "who": format_html("<strong><bdi>{}</bdi></strong>", who),
        "id": format_html("{}", entry.subject),
    }
    return SafeString(str(SENTENCES[entry.action]) % values)


def value_in_words(kind: Kind, value: str) -> str:
    """Return a status, rating or state of an entry; empty for none."""
    if kind is Kind.ORDER:
        return Status(value).label if value in set(Status) else value
    if kind is Kind.COMMENT and value.isdecimal():
        return ngettext("%(count)s star", "%(count)s stars", int(value)) % {"count": value}
    return str(STATES.get(value, value))
