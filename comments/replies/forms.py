"""The form in which staff reply to a comment."""

from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from comments.replies.queries import Reply
from comments.replies.services import LONGEST_REPLY
from comments.web.fields import TextField, count_characters


class ReplyForm(forms.Form):
    """A reply; ``version`` is of the reply it replaces, 0 for none."""

    text = TextField(
        label=_("Reply from the shop"),
        max_length=LONGEST_REPLY,
        widget=forms.Textarea({"rows": 4}),
        help_text=_("Everybody sees it."),
        error_messages={"required": _("Write a reply, or delete the one there is.")},
    )
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(
        self, data: Mapping[str, str] | None = None, *, initial: dict[str, object] | None = None
    ) -> None:
        # Forms to report comments may be unfolded on the same page: an id stands for one field.
        super().__init__(data, initial=initial, auto_id="reply-%s")
        count_characters(self, "text", longest=LONGEST_REPLY)

    @classmethod
    def of(cls, reply: Reply | None) -> "ReplyForm":
        """Build the form that changes a reply, or writes one."""
        text, version = (reply.text, reply.version) if reply else ("", 0)
        return cls(initial={"text": text, "version": version})
