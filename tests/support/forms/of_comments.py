"""The forms about comments."""

from comments.gates import block_author
from comments.reports.services import Reason
from comments.store.comments import StoredComment, load_comment
from comments.topics.banning import ban
from comments.topics.bans import stored_word
from comments.votes.services import cast_vote
from dynapages.calls import clock
from tests.support.chance import unique
from tests.support.comments.deciding import feature
from tests.support.comments.flows import put_reply, report
from tests.support.comments.options import comments_set
from tests.support.comments.topical import Word, put_topics
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    fields_of,
    new_url,
)
from tests.support.forms.cast import LONG, Cast, Form, comment_of, form_of, form_to, shelf, typed

DECISIONS = 5
LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv")
"""For the digits of what is unique: a word without vowels has no ending."""


def post(cast: Cast, **said: str) -> Form:
    product_id = shelf()
    fields = {**cast.author.open_form(product_id), **WORDS, **said}
    return form_of(cast.author, new_url(product_id), fields)


def post_long(cast: Cast) -> Form:
    return post(cast, body=LONG)


def post_held(cast: Cast) -> Form:
    """By an author whose comments wait for staff."""
    block_author(cast.author.username, now=clock.now())
    return post(cast)


def edit(cast: Cast, **said: str) -> Form:
    stored = comment_of(cast.author)
    fields = {**fields_of(cast.author.get(edit_url(stored.comment))), **said}
    return form_of(cast.author, edit_url(stored.comment), fields)


def edit_words(cast: Cast) -> Form:
    return edit(cast, body="Bright and warm light, every evening.")


def edit_rating(cast: Cast) -> Form:
    return edit(cast, rating="2", language="de")


def delete_own(cast: Cast) -> Form:
    return form_of(cast.author, delete_url(comment_of(cast.author).comment))


def delete_as_staff(cast: Cast) -> Form:
    return form_of(cast.staff, delete_url(comment_of(cast.author).comment))


def vote(cast: Cast) -> Form:
    comment_id = comment_of(cast.author).comment.id
    return form_of(cast.reader, f"/comments/vote/{comment_id}/", {"helpful": "yes"})


def withdraw_vote(cast: Cast) -> Form:
    comment_id = comment_of(cast.author).comment.id
    cast_vote(comment_id=comment_id, user_id=cast.reader.username)
    return form_of(cast.reader, f"/comments/vote/{comment_id}/", {"helpful": "no"})


def report_one(cast: Cast) -> Form:
    comment_id = comment_of(cast.author).comment.id
    return form_of(cast.reader, f"/comments/report/{comment_id}/", {"reason": Reason.SPAM.value})


def reply(cast: Cast) -> Form:
    return _reply_to(cast, comment_of(cast.author), "Thank you.")


def change_reply(cast: Cast) -> Form:
    stored = comment_of(cast.author)
    put_reply(stored)
    return _reply_to(cast, stored, "Thank you very much.")


def _reply_to(cast: Cast, stored: StoredComment, text: str) -> Form:
    path = f"/staff/comments/reply/{stored.comment.id}/"
    form = form_to(cast.staff.get(path).page, path)
    (name,) = (area["name"] for area in form.all("textarea"))
    return form_of(cast.staff, path, {**typed(form), name: text})


def remove_reply(cast: Cast) -> Form:
    stored = comment_of(cast.author)
    put_reply(stored)
    path = f"/staff/comments/reply/{stored.comment.id}/"
    return form_of(cast.staff, path, {"delete": "yes"})


def decide(cast: Cast, decision: str) -> Form:
    stored = comment_of(cast.author)
    report(stored, cast.reader.username)
    path = f"/staff/comments/decide/{stored.comment.id}/"
    return form_of(cast.staff, path, {"decision": decision, "seen": _seen(stored, reports=1)})


def hide(cast: Cast) -> Form:
    return decide(cast, "hide")


def keep(cast: Cast) -> Form:
    return decide(cast, "keep")


def publish(cast: Cast) -> Form:
    stored = _held(cast.author)
    path = f"/staff/comments/decide/{stored.comment.id}/"
    return form_of(cast.staff, path, {"decision": "publish", "seen": _seen(stored)})


def publish_five(cast: Cast) -> Form:
    held = [_held(cast.author) for _ in range(DECISIONS)]
    values = [f"{_seen(one)} {one.comment.id}" for one in held]
    fields = {"decision": "publish", "comment": values}
    return form_of(cast.staff, "/staff/comments/decide/", fields)


def take_hiding_back(cast: Cast) -> Form:
    return _undo(cast, hide(cast))


def take_keeping_back(cast: Cast) -> Form:
    return _undo(cast, keep(cast))


def _undo(cast: Cast, decided: Form) -> Form:
    """The button of the message that follows a decision."""
    shown = cast.staff.post(decided.path, decided.fields)
    button = shown.page.one("li", class_="message").one("form")
    fields = {"undo": button.one("input", name="undo")["value"]}
    return form_of(cast.staff, button["action"], fields)


def _held(author: Writer) -> StoredComment:
    product_id = shelf()
    with comments_set(GATE="comments.gates.hold_all"):
        return author.has_written(product_id)


def _seen(stored: StoredComment, *, reports: int = 0) -> str:
    now = load_comment(stored.comment.id)
    return f"{now.state}.{now.version}.{reports}"


def pick(cast: Cast) -> Form:
    comment_id = comment_of(cast.author).comment.id
    return form_of(cast.staff, f"/staff/comments/feature/{comment_id}/")


def unpick(cast: Cast) -> Form:
    comment_id = comment_of(cast.author).comment.id
    path = f"/staff/comments/feature/{comment_id}/"
    feature(comment_id)
    return form_of(cast.staff, path, {"featured": "no"})


def block(cast: Cast) -> Form:
    author = cast.someone("blocked")
    return form_of(cast.staff, f"/staff/authors/{author.username}/", {"blocked": "yes"})


def ban_for_product(cast: Cast) -> Form:
    return _ban(cast, "product")


def ban_for_all(cast: Cast) -> Form:
    return _ban(cast, "all")


def _ban(cast: Cast, what_for: str) -> Form:
    """Ban a word that is a topic of a product."""
    word = _new_word()
    product_id = put_topics(shelf(), {"en": [Word(word, 40, 10)]})
    return form_of(
        cast.staff,
        f"/staff/products/{product_id}/topics/",
        {"word": word, "language": "en", "ban": what_for},
    )


def allow_again(cast: Cast) -> Form:
    product_id, word = shelf(), ("en", _new_word())
    ban(product_id, word, everywhere=False, now=clock.now())
    path = f"/staff/products/{product_id}/topics/"
    return form_of(cast.staff, path, {"allow": stored_word(word), "of": "product"})


def _new_word() -> str:
    """A word that no form has banned before; it is its own stem."""
    return unique("").replace("-", "").translate(LETTERS)


def stop_requests(cast: Cast) -> Form:
    page = cast.author.get("/review-requests/").page
    (form,) = (each for each in page.all("form") if each.all("input", name="wanted"))
    return form_of(cast.author, form["action"], typed(form))


def detect_language(cast: Cast) -> Form:
    return form_of(cast.author, "/languages/detect/", {**WORDS, "language": ""})


FORMS = {
    "post a comment": post,
    "post a comment of 4 KB": post_long,
    "post a comment that waits for staff": post_held,
    "edit the words of a comment": edit_words,
    "edit rating and language": edit_rating,
    "delete one's comment": delete_own,
    "delete a comment, as staff": delete_as_staff,
    "vote": vote,
    "take a vote back": withdraw_vote,
    "report a comment": report_one,
    "reply to a comment": reply,
    "change a reply": change_reply,
    "delete a reply": remove_reply,
    "hide a comment": hide,
    "keep a reported comment": keep,
    "take back that a comment is hidden": take_hiding_back,
    "take back that a comment is kept": take_keeping_back,
    "publish a comment": publish,
    "publish 5 comments": publish_five,
    "pick a comment": pick,
    "take a pick back": unpick,
    "block an author": block,
    "ban a topic of a product": ban_for_product,
    "ban a topic of all products": ban_for_all,
    "allow a topic again": allow_again,
    "stop e-mails that ask for reviews": stop_requests,
    "detect the language of a text": detect_language,
}
