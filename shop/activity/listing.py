"""The activity log as its page shows it: entries in words, and what is around them."""

from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from dynapages.django.paging import Toggle
from dynapages.lists import timestamp
from shop import keys
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.filters import ActivityFilter, activity_url
from shop.days import ALL_DAYS, Days, presets
from shop.order_status import Status

KIND_LABELS: dict[Kind, Promise] = {
    Kind.ORDER: gettext_lazy("Orders"),
    Kind.COMMENT: gettext_lazy("Comments"),
    Kind.MODERATION: gettext_lazy("Moderation"),
}
SENTENCES: dict[LogVerb, Promise] = {
    LogVerb.PLACED: gettext_lazy("%(who)s placed order %(id)s"),
    LogVerb.MOVED: gettext_lazy("%(who)s moved order %(id)s"),
    LogVerb.POSTED: gettext_lazy("%(who)s posted a comment"),
    LogVerb.HELD: gettext_lazy("%(who)s wrote a comment that waits"),
    LogVerb.PUBLISHED: gettext_lazy("%(who)s published a comment"),
    LogVerb.REJECTED: gettext_lazy("%(who)s rejected a comment"),
    LogVerb.EDITED: gettext_lazy("%(who)s edited a comment"),
    LogVerb.DELETED: gettext_lazy("%(who)s deleted a comment"),
    LogVerb.KEPT: gettext_lazy("%(who)s kept a comment"),
    LogVerb.HIDDEN: gettext_lazy("%(who)s hid a comment"),
    LogVerb.RESTORED: gettext_lazy("%(who)s restored a comment"),
    LogVerb.UNDECIDED: gettext_lazy("%(who)s took back the decision on a comment"),
    LogVerb.PICKED: gettext_lazy("%(who)s picked a comment"),
    LogVerb.UNPICKED: gettext_lazy("%(who)s unpicked a comment"),
    LogVerb.REPLIED: gettext_lazy("%(who)s replied to a comment"),
    LogVerb.REPLY_DELETED: gettext_lazy("%(who)s deleted the reply to a comment"),
    LogVerb.TOPIC_BANNED: gettext_lazy("%(who)s banned the word “%(id)s” as a topic"),
    LogVerb.TOPIC_ALLOWED: gettext_lazy("%(who)s allowed the word “%(id)s” as a topic again"),
}
WITHOUT_COMMENT = frozenset({LogVerb.DELETED, LogVerb.TOPIC_BANNED, LogVerb.TOPIC_ALLOWED})
"""After which there is no comment to lead to."""
STATE_LABELS: dict[str, Promise] = {
    "HELD": pgettext_lazy("the comment is", "waiting"),
    "REPORTED": pgettext_lazy("the comment is", "reported"),
    "HIDDEN": pgettext_lazy("the comment is", "hidden"),
    "LISTED": pgettext_lazy("the comment is", "listed"),
}


def sentence_of(entry: LogEntry) -> SafeString:
    """Return HTML that says who did what, with the user's name set off."""
    who = entry.who or _("A command")
    subject = entry.subject
    if entry.kind is Kind.ORDER:
        subject = keys.short_id(subject)
    values = {
        "who": format_html("<strong><bdi>{}</bdi></strong>", who),
        "id": format_html("{}", subject),
    }
    return SafeString(str(SENTENCES[entry.action]) % values)


def value_in_words(kind: Kind, value: str) -> str:
    """Return a status, rating or state of an entry; empty for none."""
    if kind is Kind.ORDER:
        # A status that there is no more is shown as it was written.
        return Status(value).label if value in set(Status) else value
    if kind is Kind.COMMENT and value.isdecimal():
        return ngettext("%(count)s star", "%(count)s stars", int(value)) % {"count": value}
    return str(STATE_LABELS.get(value, value))


def list_context(chosen: ActivityFilter, *, today: date) -> dict[str, Any]:
    """Build what the template shows around the entries; ``address`` is for toggles.js.

    ``today`` is the UTC day. ``dates`` is what ``shop/orders/_dates.jinja`` shows.
    """
    url = reverse("activity")
    tabs = [
        Toggle(
            value=kind.value,
            label=str(KIND_LABELS[kind]),
            url=activity_url(chosen.toggle(kind)),
            pressed=kind in chosen.kinds,
        )
        for kind in Kind
    ]
    everything = Toggle(
        value="~",
        label=_("Everything"),
        url=activity_url(replace(chosen, kinds=())),
        pressed=not chosen.kinds,
    )
    # The form of days keeps the kinds, and the tabs of kinds keep the days.
    any_day = activity_url(replace(chosen, days=ALL_DAYS))
    dates = {
        **chosen.days.form,
        "presets": presets(chosen.days, today, partial(_url_on, chosen)),
        "clear_dates_url": any_day if chosen.days else None,
        "form_hidden": chosen.kind_pairs,
        "form_action": url,
    }
    return {
        "narrowed": len(chosen.kinds) + int(bool(chosen.days)),
        "csv_url": activity_url(chosen, name="activity_csv"),
        "tabs": tabs,
        "all_kinds": everything,
        "dates": dates,
        "address": f"{url}?{{kind=}}&{urlencode(chosen.days.pairs)}".rstrip("&"),
    }


def _url_on(chosen: ActivityFilter, days: Days) -> str:
    """Return the address of the log with other days."""
    return activity_url(replace(chosen, days=days))


def activity_row(entry: LogEntry) -> dict[str, Any]:
    """Build the row of a log entry in words."""
    order_id = comment_id = product_id = customer = ""
    if entry.kind is Kind.ORDER:
        order_id = entry.subject
        if entry.about != entry.who:
            customer = entry.about
    else:
        product_id = entry.about
        if entry.action not in WITHOUT_COMMENT:
            comment_id = entry.subject
    return {
        "entry": entry,
        "sentence": sentence_of(entry),
        "order_id": order_id,
        "comment_id": comment_id,
        "product_id": product_id,
        "product_name": entry.name or product_id,
        "customer": customer,
        "was": value_in_words(entry.kind, entry.was),
        "became": value_in_words(entry.kind, entry.became),
        "moment_iso": timestamp(entry.moment),
    }
