"""``manage.py delete_comment``: deletes a comment with its dependents."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from comments.activity_log import moderated
from comments.posting.services import delete_comment
from dynamo.calls import clock
from dynamo.management.failures import failures_in_one_line
from shop.activity.entries import LogVerb


class Command(BaseCommand):
    """Deletes one comment by its id."""

    help = (
        "Delete a comment with its text, votes, reports and reply, and count it out. Deleting it "
        "again is no error, and finishes what was cut off."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", help="the comment's id")

    def handle(self, **options: Any) -> None:
        comment_id, now = options["id"], clock.now()
        with failures_in_one_line():
            was_there = delete_comment(comment_id, now=now)
        if was_there:
            moderated(LogVerb.DELETED, comment_id=comment_id, who="", at=now)
        outcome = "is deleted" if was_there else "is not there (any more)"
        self.stdout.write(f"The comment “{comment_id}” {outcome}.")
