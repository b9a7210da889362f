"""Comments as a feed."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from comments.lists.entries import CommentEntry
from dynapages.django.formats import AtomEntry, AtomFeed


def comments_feed(
    heading: str, comments: Sequence[CommentEntry], about: Mapping[str, str] | None = None
) -> AtomFeed:
    """Return comments as a feed; ``about`` names their products by id, where they are of several.

    One without words is in the feed's language, the others are in their own.
    """
    entries = []
    for comment in comments:
        title = f"{comment.stars} {comment.title}".strip()
        if about and about[comment.product_id]:
            title = f"{title} · {about[comment.product_id]}"
        # The sentence that stands for missing words is in the language of the feed.
        language = ""
        if comment.text or comment.title:
            language = comment.language
        entry = AtomEntry(
            path=comment.url,
            title=title,
            published=comment.created,
            updated=comment.edited,
            text=comment.text or comment.title or _("No words, only stars."),
            author=comment.author_name,
            language=language,
        )
        entries.append(entry)
    return AtomFeed(title=heading, entries=entries)
