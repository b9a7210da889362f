"""For Django: pages of lists and their pager, refusals, access, rate limits, commands.

What is public is here. Other names of these modules serve this project's own apps, and change
without notice.
"""

from dynapages.django.callers import Caller, Scope
from dynapages.django.middleware import BudgetMiddleware, RefusalMiddleware
from dynapages.django.paging import Pager, page_of, render_list, render_page, tokens
from dynapages.django.refusals import Refusal
from dynapages.django.tables import TableCommand

__all__ = [
    "BudgetMiddleware",
    "Caller",
    "Pager",
    "Refusal",
    "RefusalMiddleware",
    "Scope",
    "TableCommand",
    "page_of",
    "render_list",
    "render_page",
    "tokens",
]
