"""What staff do on a comment's own page: pick it, and reply to it."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from comments.featuring import feature, unfeature
from comments.moderation import Decision
from comments.moderation_listing import DecisionButton, decide_url, decisions_on
from comments.queries import WholeComment
from comments.replies import Reply, find_reply
from comments.replying import LONGEST_REPLY, ReplyChanged, delete_reply, reply_to
from comments.seen import Seen
from comments.stored import NoSuchComment
from shop.access import staff_only

GONE = "There is no such comment. It may have been deleted or hidden."


class ReplyForm(forms.Form):
    """What the shop says to a comment; ``version`` is of the reply it replaces, 0 for none."""

    text = forms.CharField(
        label="The shop’s reply",  # noqa: RUF001 - an apostrophe
        max_length=LONGEST_REPLY,
        widget=forms.Textarea({"rows": 4}),
        error_messages={"required": "Write a reply, or delete the one there is."},
    )
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    @classmethod
    def of(cls, reply: Reply | None) -> "ReplyForm":
        """Make the form that changes a reply, or writes one."""
        text, version = (reply.text, reply.version) if reply else ("", 0)
        return cls(initial={"text": text, "version": version})


@dataclass(frozen=True, slots=True)
class StaffTools:
    """What staff may do on a comment's page, besides deleting it as its author may."""

    decisions: list[DecisionButton]
    decide_url: str
    reply_form: ReplyForm | None


def staff_tools(comment: WholeComment) -> StaffTools:
    """Give what staff may do with a comment as it was read; a hidden one is not replied to."""
    decisions = decisions_on(Seen.parse(comment.seen).state)
    return StaffTools(
        decisions=[each for each in decisions if each.value != Decision.DELETE],
        decide_url=decide_url(comment.id, comment.url),
        reply_form=None if comment.is_hidden else ReplyForm.of(comment.reply),
    )


@require_POST
@staff_only
def feature_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Pick a comment for its product's page, or (``featured=no``) take that back."""
    is_pick = request.POST.get("featured") != "no"
    try:
        (feature if is_pick else unfeature)(comment_id)
    except NoSuchComment as error:
        raise Http404(GONE) from error
    said = "The comment is picked." if is_pick else "The comment is picked no more."
    return _tell(request, comment_id, said)


@require_POST
@staff_only
def reply(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Reply to a comment, change the reply, or (``delete=yes``) delete it."""
    try:
        if request.POST.get("delete") == "yes":
            delete_reply(comment_id)
            return _tell(request, comment_id, "The reply is deleted.")
        return _reply(request, comment_id)
    except NoSuchComment as error:
        raise Http404(GONE) from error


def _reply(request: HttpRequest, comment_id: str) -> HttpResponse:
    form = ReplyForm(request.POST)
    if not form.is_valid():
        return _again(request, comment_id, form)
    seen = find_reply(comment_id)
    try:
        if (seen.version if seen else 0) != form.cleaned_data["version"]:
            _require_same(seen, form.cleaned_data["text"])
        else:
            reply_to(
                comment_id=comment_id,
                text=form.cleaned_data["text"],
                author=request.user.get_username(),
                seen=seen,
                now=timezone.now(),
            )
    except ReplyChanged as error:
        return _again(request, comment_id, form, error)
    return _tell(request, comment_id, "The reply is there.")


def _require_same(there: Reply | None, text: str) -> None:
    """Take a form that was sent before for done; tell of a reply by somebody else."""
    if there is None or there.text != text:
        raise ReplyChanged(there)


def _again(
    request: HttpRequest, comment_id: str, form: ReplyForm, lost: ReplyChanged | None = None
) -> HttpResponse:
    """Show what was typed again, beside the reply that is there now."""
    theirs = lost.reply if lost else None
    if lost is not None:
        typed = {"text": form.data["text"], "version": str(theirs.version if theirs else 0)}
        form = ReplyForm(typed)
        form.add_error(None, f"{lost} Yours is below; send it again if it is to stand.")
    context = {
        "form": form,
        "theirs": theirs,
        "comment": {"id": comment_id},
        "comment_url": reverse("comment", args=[comment_id]),
    }
    return render(request, "comments/reply.html", context, status=409 if lost else 422)


def _tell(request: HttpRequest, comment_id: str, said: str) -> HttpResponse:
    messages.success(request, said)
    return redirect(reverse("comment", args=[comment_id]))
