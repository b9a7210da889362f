"""What the tests of a project need that has the app: tables, comments, signals and what is owed.

The fixtures of pytest are in `comments.testing.fixtures`. See docs/installing.md.
"""

from comments.testing.making import make_comment
from comments.testing.signals import SentSignal, sent_signals
from comments.testing.tables import TablesExist, own_tables
from comments.testing.work import StillOwed, finish_owed

__all__ = [
    "SentSignal",
    "StillOwed",
    "TablesExist",
    "finish_owed",
    "make_comment",
    "own_tables",
    "sent_signals",
]
