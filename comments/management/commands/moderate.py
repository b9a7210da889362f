"""``manage.py moderate``: decides on a comment, as staff do in the shop."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from comments.moderation.services import Decision, carry_out
from comments.store.comments import NoSuchComment
from dynapages.calls import clock
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand

DONE = {
    Decision.PUBLISH: "is published",
    Decision.REJECT: "is rejected, and among the hidden ones",
    Decision.KEEP: "is kept",
    Decision.HIDE: "is hidden",
    Decision.RESTORE: "is back in its lists",
    Decision.DELETE: "is deleted",
}


class Command(TableCommand):
    """Publishes, rejects, keeps, hides, restores or deletes a comment, as it is at the moment."""

    help = (
        "Decide on a comment: publish or reject one that waits, keep it (take it out of the queue "
        "of reported ones), hide it from all lists, restore a hidden one, or delete it with its "
        "text, votes, reports and reply, and count it out. Deciding the same again changes "
        "nothing; deleting again finishes what was cut off."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", help="the comment's id")
        parser.add_argument("decision", choices=[decision.value for decision in Decision])

    def handle(self, **options: Any) -> None:
        comment_id, decision = options["id"], Decision(options["decision"])
        try:
            with failures_in_one_line():
                is_new = carry_out(decision, comment_id=comment_id, now=clock.now())
        except NoSuchComment as error:
            raise CommandError(f"There is no comment “{comment_id}”.") from error
        is_gone = decision is Decision.DELETE and not is_new
        outcome = "is not there (any more)" if is_gone else DONE[decision]
        self.stdout.write(f"The comment “{comment_id}” {outcome}.")
