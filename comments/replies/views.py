"""The form with which staff reply to a comment, change the reply and delete it."""

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments.replies.services import (
    LONGEST_REPLY,
    Reply,
    ReplyChanged,
    delete_reply,
    find_reply,
    finish_reply,
    reply_to,
)
from comments.store.comments import load_comment
from comments.users import display_name_of, user_id_of
from comments.web.forms import (
    NOT_IN_LISTS,
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
from comments.web.rate_limits import check_rate_limit, write_counted_meanwhile
from dynapages.calls import clock, labelled_calls
from dynapages.django.access import staff_only
from dynapages.django.next_page import back, path_of_next
from dynapages.django.paging import anchor_of, notify, wants_partial

REPLY_FORM = FormPage(
    "comments/replies/reply.html", "comments/replies/_reply_tools.html", "closest .reply-tools"
)


class ReplyForm(FormInList):
    """A reply; ``version`` is of the reply it replaces, 0 for none."""

    kind, longest = "reply", LONGEST_REPLY
    text = TextField(
        label=gettext_lazy("Reply from the shop"),
        max_length=LONGEST_REPLY,
        widget=forms.Textarea({"rows": 4}),
        help_text=gettext_lazy("The reply is public."),
        error_messages={"required": gettext_lazy("Write a reply, or delete the one there is.")},
    )
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    @classmethod
    def of(cls, reply: Reply | None, *, comment_id: str) -> "ReplyForm":
        """Build the form for a comment's reply, None for a new one."""
        initial = {"text": reply.text if reply else "", "version": _version_of(reply)}
        return cls(initial=initial, comment_id=comment_id)


def _version_of(reply: Reply | None) -> int:
    return reply.version if reply else 0


def _forged(request: HttpRequest, comment_id: str) -> HttpResponse | None:
    if _is_deletion(request):
        return None
    form = ReplyForm(request.POST, comment_id=comment_id)
    return _show_again(request, comment_id, form, forged())


@form_page(_forged)
def reply(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Reply to a comment, change the reply, or (``delete=yes``) delete it."""
    if request.method != "POST":
        return _show(request, comment_id)
    if _is_deletion(request):
        return _delete(request, comment_id)
    return _save(request, comment_id)


@staff_only
def _show(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Show the form with the reply that there is."""
    with missing_as_404(NOT_IN_LISTS), labelled_calls("comment"):
        stored = load_comment(comment_id)
    if stored.is_hidden:
        raise Http404(NOT_IN_LISTS)
    stored_reply = find_reply(comment_id)
    form = ReplyForm.of(stored_reply, comment_id=comment_id)
    return REPLY_FORM.show(request, form, _context(request, comment_id, stored_reply))


def _context(
    request: HttpRequest, comment_id: str, stored_reply: Reply | None
) -> dict[str, object]:
    """Return what is around the form; it leads back to the page it was opened on."""
    comment = {"id": comment_id, "anchor": anchor_of("comment", comment_id), "reply": stored_reply}
    page_url = path_of_next(request, default="")
    return {"comment": comment, "is_there": stored_reply is not None, "page_url": page_url}


@staff_only
def _delete(request: HttpRequest, comment_id: str) -> HttpResponse:
    now = clock.now()
    check_rate_limit(request, is_staff=True)
    with missing_as_404(NOT_IN_LISTS):
        delete_reply(comment_id, by=user_id_of(request.user), now=now)
    return _show_written(request, comment_id, _("The reply is deleted."))


def _save(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Save a reply, or show the form again with what is wrong."""
    form = ReplyForm(request.POST, comment_id=comment_id)
    try:
        with as_form_errors(NOT_IN_LISTS):
            _write_reply(request, comment_id, form)
            return _show_written(request, comment_id, _("The reply is saved."))
    except ReplyChanged as lost:
        # The version of theirs goes into the form, so that sending it again replaces it.
        yours = _("Yours is below: send it again to replace the other.")
        data = {"text": form.data["text"], "version": str(_version_of(lost.reply))}
        form = ReplyForm(data, comment_id=comment_id)
        refusal = FormNotSaved(HTTPStatus.CONFLICT, f"{lost} {yours}")
        return _show_again(request, comment_id, form, refusal, theirs=lost.reply)
    except FormNotSaved as refusal:
        return _show_again(request, comment_id, form, refusal)


def _write_reply(request: HttpRequest, comment_id: str, form: ReplyForm) -> None:
    """Write the reply of a form. Raises FormNotSaved, ReplyChanged and Http404."""
    user_id, now = require_user(request), clock.now()
    if not request.user.is_staff:
        raise Http404
    if not form.is_valid():
        raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
    text = form.cleaned_data["text"]
    # The reply is read again, strongly: somebody else may have written one meanwhile.
    with write_counted_meanwhile(request, user_id, is_staff=True):
        seen = find_reply(comment_id)
    if _version_of(seen) != form.cleaned_data["version"]:
        if seen is None or seen.text != text:
            raise ReplyChanged(seen)
        finish_reply(comment_id)
        return
    reply_to(
        comment_id=comment_id,
        text=text,
        user_id=user_id,
        author=display_name_of(request.user),
        seen=seen,
        now=now,
    )


def _show_again(
    request: HttpRequest,
    comment_id: str,
    form: ReplyForm,
    refusal: FormNotSaved,
    *,
    theirs: Reply | None = None,
) -> HttpResponse:
    """Show the form as it was sent, with the error, and the reply of somebody else."""
    is_there = theirs is not None or form.data.get("version", "0") != "0"
    context = _context(request, comment_id, None) | {"theirs": theirs, "is_there": is_there}
    return REPLY_FORM.show_again(request, form, context, refusal=refusal)


def _show_written(request: HttpRequest, comment_id: str, sentence: str) -> HttpResponse:
    """Answer with what was done: the reply in its list, or a page with a message."""
    if not wants_partial(request):
        messages.success(request, sentence)
        return back(request, default=reverse("comments:comment", args=[comment_id]))
    stored_reply = find_reply(comment_id)
    form = ReplyForm.of(stored_reply, comment_id=comment_id)
    context = _context(request, comment_id, stored_reply) | {"form": form}
    return notify(render(request, "comments/replies/_replied.html", context), sentence)


def _is_deletion(request: HttpRequest) -> bool:
    return request.POST.get("delete") == "yes"
