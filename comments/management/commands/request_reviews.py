"""``manage.py request_reviews``: asks those who bought something for reviews, by e-mail."""

import logging
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from comments.host import COMMENTS
from comments.requests.purchases import DuePurchase
from comments.requests.services import Outcome, consider, request_review
from dynapages.calls import clock
from dynapages.django.advice import sentence_with_advice
from dynapages.django.tables import TableCommand
from dynapages.pynamodb import FAILURES
from dynapages.work import Postponed

POSTPONED = "left to the next run"
FAILED = "failed"

logger = logging.getLogger(__name__)


class Command(TableCommand):
    """Asks about each purchase that the project says is due; exits with 1 when some are left."""

    help = (
        "Ask for reviews of what the function of COMMENTS['DUE_PURCHASES'] yields: by e-mail, once "
        "about a purchase, and each customer once in 14 days. What fails, and what the mail server "
        "does not take, is tried again by the next run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be done; send and store nothing"
        )

    def handle(self, **options: Any) -> None:
        if not COMMENTS["DUE_PURCHASES"]:
            raise CommandError(
                "Set COMMENTS['DUE_PURCHASES'] to the dotted path of a function of a moment, which "
                "yields the purchases that are due by then."
            )
        site = settings.SITE_URL
        if not site:
            raise CommandError("Set SITE_URL: links in e-mails begin with it.")
        now = clock.now()
        purchases = COMMENTS.load("DUE_PURCHASES")(now)
        if options["dry_run"]:
            outcomes = _outcomes_expected(purchases, now=now)
        else:
            outcomes = self._ask(purchases, site=site)
        self._report(outcomes, is_dry_run=options["dry_run"])
        left = outcomes[POSTPONED] + outcomes[FAILED]
        if left:
            raise CommandError(f"{left} of {outcomes.total()} are left. Run the command again.")

    def _ask(self, purchases: Iterable[DuePurchase], *, site: str) -> Counter[str]:
        """Ask about all purchases, and return how many came to what."""
        outcomes: Counter[str] = Counter()
        is_away = False
        for purchase in purchases:
            # Each attempt at a mail server that is away may take as long as a timeout.
            if is_away:
                outcomes[POSTPONED] += 1
                continue
            try:
                outcome = request_review(purchase, site=site, now=clock.now())
                outcomes[outcome] += 1
            except Postponed as error:
                outcomes[POSTPONED] += 1
                is_away = error.is_away
                self._say_why(purchase, error.sentence)
            except FAILURES as failure:
                outcomes[FAILED] += 1
                self._say_why(purchase, sentence_with_advice(failure))
            except Exception as error:  # one that is wrong must not keep the others from being sent
                logger.exception("Purchase %s was not asked about.", purchase.id)
                outcomes[FAILED] += 1
                self._say_why(purchase, f"{type(error).__name__}: the log has the rest.")
        return outcomes

    def _say_why(self, purchase: DuePurchase, sentence: str) -> None:
        self.stderr.write(f"Purchase {purchase.id}: {sentence}")

    def _report(self, outcomes: Counter[str], *, is_dry_run: bool) -> None:
        asked = "would be asked about" if is_dry_run else "were asked about"
        self.stdout.write(f"{outcomes[Outcome.SENT]} of {outcomes.total()} purchases {asked}.")
        for outcome, number in sorted(outcomes.items()):
            if outcome != Outcome.SENT:
                self.stdout.write(f"  {outcome}: {number}")


def _outcomes_expected(purchases: Iterable[DuePurchase], *, now: datetime) -> Counter[str]:
    """Return how many purchases would come to what."""
    outcomes: Counter[str] = Counter()
    asked: set[str] = set()
    for purchase in purchases:
        outcome = consider(purchase, now=now).outcome
        # The first e-mail to a customer keeps others from being sent.
        if outcome is Outcome.SENT and purchase.user_id in asked:
            outcome = Outcome.TOO_SOON
        if outcome is Outcome.SENT:
            asked.add(purchase.user_id)
        outcomes[outcome] += 1
    return outcomes
