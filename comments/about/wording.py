"""What the page about reviews says of the project's options, and how it calls what was counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments.filters import RATINGS, CommentFilter, language_name
from comments.host import COMMENTS, has_topics
from comments.lists.listing import list_url
from comments.moderation.year_counts import (
    CODES_OF_GATES,
    IMPORTED,
    NOT_REPORTED,
    OWN_RULE,
    Step,
    YearOfModeration,
)
from comments.reports.services import Reason
from comments.store.counts import ProductCounts
from comments.topics.records import ENOUGH_COMMENTS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

GATES: Mapping[str, "StrOrPromise"] = {
    "comments.gates.hold_all": gettext_lazy(
        "Each comment waits until the shop has read and published it."
    ),
    "comments.gates.hold_first": gettext_lazy(
        "Comments wait until the shop has read and published them, unless one of their author's "
        "latest comments is published already."
    ),
    "comments.gates.hold_links": gettext_lazy(
        "Comments with what looks like a link wait until the shop has read and published them."
    ),
    "comments.gates.hold_words": gettext_lazy(
        "Comments with certain words, such as those of advertisements, wait until the shop has "
        "read and published them."
    ),
}
"""What each gate of the app holds, by its dotted path."""
OWN_GATE = gettext_lazy(
    "The shop checks comments by rules of its own: some wait until it has read and published them, "
    "and some are not accepted."
)
NO_GATE = gettext_lazy("Comments are published at once, before the shop has read them.")
STEPS: Mapping[Step, "StrOrPromise"] = {
    Step.HELD: gettext_lazy("Waited for the shop"),
    Step.REJECTED: gettext_lazy("Rejected by the shop"),
    Step.HIDDEN: gettext_lazy("Hidden by the shop"),
    Step.RESTORED: gettext_lazy("Decisions taken back"),
}
_REASONS_TO_HOLD: Mapping[str, "StrOrPromise"] = {
    OWN_RULE: gettext_lazy("a rule of the shop's own"),
    IMPORTED: gettext_lazy("it waited in another system"),
}
_NOBODY_REPORTED = gettext_lazy("nobody had reported it")


@dataclass(frozen=True, slots=True)
class CountedRow:
    """How often something was done with comments; ``reason`` is empty where none is counted."""

    what: str
    reason: str
    number: int


@dataclass(frozen=True, slots=True)
class CountedList:
    """A list of a product's comments: of a rating or a language, and how many are in it."""

    url: str
    number: int
    rating: int = 0
    language: str = ""


# Who may write, and who is asked to


def sentences_of_gates() -> list[str]:
    """Return what the project's gates hold, in the active language, each once."""
    sentences: list[str] = []
    for path in COMMENTS.paths("GATE"):
        sentence = str(GATES.get(path, OWN_GATE))
        if sentence not in sentences:
            sentences.append(sentence)
    return sentences or [str(NO_GATE)]


def days_until_asked() -> int:
    """Return how many days after a delivery customers are asked for reviews, 0 for not at all."""
    # Without the site's address there are no links to send.
    if not settings.SITE_URL:
        return 0
    days: int = getattr(settings, "REVIEW_REQUEST_DAYS", 0)
    return days


def are_customers_asked() -> bool:
    """Return whether customers are asked for reviews by e-mail, whenever that is."""
    return bool(days_until_asked() or COMMENTS["DUE_PURCHASES"])


# What is shown


def enough_for_topics() -> int:
    """Return from how many comments in a language topics are looked for, 0 for never."""
    if not has_topics():
        return 0
    return ENOUGH_COMMENTS


# What was counted


def rows_of_moderation(year: YearOfModeration) -> list[CountedRow]:
    """Return what was done with comments, in the order of `Step`, most frequent reasons first."""
    rows: list[CountedRow] = []
    for step, name in STEPS.items():
        numbers: list[tuple[int, str]] = []
        for (done, code), number in year.sums.items():
            if done is step:
                numbers.append((-number, _reason(step, code)))
        for negative, reason in sorted(numbers):
            rows.append(CountedRow(str(name), reason, -negative))
    return rows


def _reason(step: Step, code: str) -> str:
    """Return what a stored reason is called; a newer version's is called another one."""
    if not code:
        return ""
    if step is Step.HIDDEN and code == NOT_REPORTED:
        return str(_NOBODY_REPORTED)
    if step is Step.HIDDEN and code in Reason.values:
        return str(Reason(code).label)
    if code in _REASONS_TO_HOLD:
        return str(_REASONS_TO_HOLD[code])
    for reason, known in CODES_OF_GATES.items():
        if known == code:
            return _(reason)
    return _("another reason")


def lists_by_rating(product_id: str, counts: ProductCounts) -> list[CountedList]:
    """Return the lists of each rating, the best first."""
    numbers = counts.by_value(CommentFilter()).ratings
    lists: list[CountedList] = []
    for rating in reversed(RATINGS):
        url = list_url(product_id, CommentFilter.of((), [rating]))
        lists.append(CountedList(url, numbers.get(rating, 0), rating=rating))
    return lists


def lists_by_language(product_id: str, counts: ProductCounts) -> list[CountedList]:
    """Return the lists of each language that there are comments in, the longest first."""
    lists: list[CountedList] = []
    for language, number in counts.by_value(CommentFilter()).languages.items():
        url = list_url(product_id, CommentFilter.of([language]))
        lists.append(CountedList(url, number, language=language_name(language)))
    return sorted(lists, key=_longest_first)


def _longest_first(counted: CountedList) -> tuple[int, str]:
    return -counted.number, counted.language
