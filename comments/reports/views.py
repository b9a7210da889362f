"""The form in which users report comments."""

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from comments.lists.entries import WholeComment
from comments.lists.queries import find_comment
from comments.reports.services import LONGEST_TEXT, Reason, report_comment
from comments.store.comments import OwnComment, load_comment
from comments.users import display_name_of, user_id_of
from comments.web.forms import (
    NO_SUCH_COMMENT,
    FormInList,
    FormNotSaved,
    FormPage,
    TextField,
    as_form_errors,
    forged,
    form_page,
    missing_as_404,
    require_user,
)
from comments.web.rate_limits import write_counted_meanwhile
from dynapages.calls import clock, labelled_calls
from dynapages.django.access import signed_in
from dynapages.django.paging import wants_partial

THANKS = _("Thank you. The shop will look at this comment.")
AGAIN = _("You have already reported this comment.")
REPORT_FORM = FormPage("comments/reports/report.html", "comments/reports/_report.html")


class ReportForm(FormInList):
    """Why a comment is reported, in one of a few words or in one's own."""

    kind, longest = "report", LONGEST_TEXT
    reason = forms.ChoiceField(
        label=_("What is wrong with it?"),
        choices=Reason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what is wrong with it.")},
    )
    text = TextField(
        label=_("In your own words"),
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": 4}),
        help_text=_("Only the shop sees this."),
    )


def _forged(request: HttpRequest, comment_id: str) -> HttpResponse:
    form = ReportForm(request.POST, comment_id=comment_id)
    return _show_again(request, comment_id, form, forged())


@form_page(_forged)
def report(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Show the form to report a comment, and report it."""
    if request.method == "POST":
        return _report(request, comment_id)
    return _show(request, comment_id)


@signed_in
def _show(request: HttpRequest, comment_id: str) -> HttpResponse:
    comment = _reportable(request, comment_id)
    return REPORT_FORM.show(request, ReportForm(comment_id=comment_id), {"comment": comment})


def _report(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Report a comment, or show the form again with what is wrong."""
    form = ReportForm(request.POST, comment_id=comment_id)
    try:
        with as_form_errors():
            sentence = _write_report(request, comment_id, form)
    except FormNotSaved as refusal:
        return _show_again(request, comment_id, form, refusal)
    if wants_partial(request):
        return render(request, "comments/reports/_reported.html", {"said": sentence})
    messages.success(request, sentence)
    return redirect(reverse("comments:comment", args=[comment_id]))


def _write_report(request: HttpRequest, comment_id: str, form: ReportForm) -> str:
    """Report a comment, and return what is said to the user then."""
    user_id, now = require_user(request), clock.now()
    if not form.is_valid():
        raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
    with write_counted_meanwhile(request, user_id):
        stored = load_comment(comment_id)
    try:
        # A second report of the same user changes nothing, and is thanked for in other words.
        is_first = report_comment(
            comment_id=comment_id,
            user_id=user_id,
            author=display_name_of(request.user),
            reason=Reason(form.cleaned_data["reason"]),
            text=form.cleaned_data["text"],
            now=now,
            stored=stored,
        )
    except OwnComment as error:
        raise FormNotSaved(HTTPStatus.BAD_REQUEST, str(error)) from error
    return str(THANKS if is_first else AGAIN)


def _show_again(
    request: HttpRequest, comment_id: str, form: ReportForm, refusal: FormNotSaved
) -> HttpResponse:
    """Show what was typed; the comment's id alone, which needs no read."""
    comment = {"id": comment_id, "url": reverse("comments:comment", args=[comment_id])}
    return REPORT_FORM.show_again(request, form, {"comment": comment}, refusal=refusal)


def _reportable(request: HttpRequest, comment_id: str) -> WholeComment:
    with missing_as_404(), labelled_calls("comment"):
        comment = find_comment(comment_id)
    if comment.is_hidden or comment.user_id == user_id_of(request.user):
        raise Http404(NO_SUCH_COMMENT)
    return comment
