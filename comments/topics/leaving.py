"""What becomes of topics when comments leave their lists: forms that no listed comment has go.

A topic is shown as buyers write it. Where the comments that write it so were hidden or deleted, it
must not stay until topics are made anew: some minutes after a comment has left its lists, the
worker looks for each form in the newest comments that have its stem.
"""

from dataclasses import replace
from enum import Enum
from itertools import islice

from comments.models import Comment
from comments.search.models import TABLE as WORDS
from comments.search.models import CommentWord
from comments.search.postings import has_older, partition
from comments.search.words import spellings_of_stems
from comments.store.table import query_pages, retry
from comments.topics.making import CHANGED_MEANWHILE, owe_making
from comments.topics.records import LanguageTopics, Topic
from comments.topics.stored import read_topics, replace_topics
from dynapages.calls import labelled_calls
from dynapages.items import Item

POSTINGS_AT_A_TIME = 10
"""Comments with a topic's stem that are read at once, the newest first: one or two units."""
MOST_PAGES = 3
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_NOTHING = {"S": ""}


class Use(Enum):
    """Whether the form of a topic is in a listed comment, as far as a look at some of them says."""

    SHOWN = "shown"
    GONE = "gone"
    NOT_KNOWN = "not known"


def drop_unused(product_id: str) -> None:
    """Take those topics of a product out that no listed comment has any more.

    Where that cannot be told it is owed that all are made anew. Postings that are being written are
    not waited for: those of the comment that has left were written minutes ago, and a form that
    only a newer comment has is back with the next making.

    Reading the topics takes a unit, the search for each one half a unit where no comment has it,
    one or two as a rule, and six at most; what is dropped is a write of one item of up to 4 KB.
    Raises Contended, and botocore's errors.
    """
    with labelled_calls("topics"):
        are_known = retry(lambda: _drop_gone(product_id), otherwise=CHANGED_MEANWHILE)
        if not are_known:
            owe_making(product_id)


def _drop_gone(product_id: str) -> bool:
    """Drop the topics whose forms are gone; return whether it is known of all others.

    Raises ConditionFailed where others have changed the topics meanwhile.
    """
    before = read_topics(product_id)
    are_known = True
    left: dict[str, LanguageTopics] = {}
    for language, of_language in before.languages.items():
        topics: list[Topic] = []
        for topic in of_language.topics:
            use = use_of(topic, product_id, language)
            if use is Use.NOT_KNOWN:
                are_known = False
            if use is not Use.GONE:
                topics.append(topic)
        left[language] = replace(of_language, topics=tuple(topics))
    if left != before.languages:
        replace_topics(product_id, before, left)
    return are_known


def use_of(topic: Topic, product_id: str, language: str) -> Use:
    """Look for the form of a topic in the newest listed comments that have its stem."""
    pages = query_pages(
        CommentWord.pk == partition(product_id, language, topic.stem),
        table=WORDS,
        ScanIndexForward=False,
        Limit=POSTINGS_AT_A_TIME,
    )
    has_postings = False
    for page in islice(pages, MOST_PAGES):
        for posting in page["Items"]:
            has_postings = True
            if _shows(posting, topic, language):
                return Use.SHOWN
    # Others write the word in another form, or further on in a long text: a posting has its
    # beginning. As long as the table has older postings, a comment may have one of those alone.
    if has_postings or has_older():
        return Use.NOT_KNOWN
    return Use.GONE


def _shows(posting: Item, topic: Topic, language: str) -> bool:
    """Return whether a posting has the form of a topic, in capital letters or not."""
    title = posting.get(_TITLE, _NOTHING)["S"]
    text = posting.get(_TEXT, _NOTHING)["S"]
    spellings = spellings_of_stems(title, text, language).get(topic.stem, [])
    form = topic.form.casefold()
    return any(spelling.casefold() == form for spelling in spellings)
