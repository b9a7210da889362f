"""The form that tells staff what is wrong with a comment."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from comments.queries import WholeComment, find_comment
from comments.reporting import LONGEST_TEXT, Reason, report_comment
from comments.stored import NoSuchComment
from comments.votes import OwnComment
from comments.write_taking import require_room
from dynamo.meter import labelled_calls
from dynamo.web.partials import wants_partial
from dynamo.web.refusals import Refusal
from shop.access import signed_in

GONE = "There is no such comment. It may have been deleted."
THANKS = "Thank you. The shop will look at this comment."
AGAIN = "You have reported this comment before. The shop knows."


class ReportForm(forms.Form):
    """Why a comment is reported, in one of a few words or in one's own."""

    reason = forms.ChoiceField(
        label="What is wrong with it?",
        choices=[(reason.value, reason.label) for reason in Reason],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is wrong with it."},
    )
    text = forms.CharField(
        label="In your own words",
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea({"rows": 4}),
        help_text=f"Up to {LONGEST_TEXT:,} characters, read by the shop alone.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def report(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Ask why a comment is to be reported, and report it."""
    form = ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said = _report(request, comment_id, form)
        if wants_partial(request):
            return render(request, "comments/_reported.html", {"said": said})
        messages.success(request, said)
        return redirect(reverse("comment", args=[comment_id]))
    comment = _reportable(request, comment_id)
    template = "comments/_report.html" if wants_partial(request) else "comments/report.html"
    return render(request, template, {"form": form, "comment": comment})


def _report(request: HttpRequest, comment_id: str, form: ReportForm) -> str:
    now = timezone.now()
    require_room(request, now=now)
    try:
        is_first = report_comment(
            comment_id=comment_id,
            username=request.user.get_username(),
            reason=Reason(form.cleaned_data["reason"]),
            text=form.cleaned_data["text"],
            now=now,
        )
    except NoSuchComment as error:
        raise Http404(GONE) from error
    except OwnComment as error:
        raise Refusal(str(error)) from error
    return THANKS if is_first else AGAIN


def _reportable(request: HttpRequest, comment_id: str) -> WholeComment:
    try:
        with labelled_calls("comment"):
            comment = find_comment(comment_id)
    except NoSuchComment as error:
        raise Http404(GONE) from error
    if comment.is_hidden or comment.username == request.user.get_username():
        raise Http404(GONE)
    return comment
