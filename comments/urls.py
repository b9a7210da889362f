"""Addresses of comments; a comment's id is last, as it may hold slashes."""

from django.urls import path

from comments import views
from comments.about import views as about
from comments.bans import views as bans
from comments.moderation import views as moderation
from comments.posting import views as posting
from comments.profiles import views as profiles
from comments.rankings import views as rankings
from comments.replies import views as replies
from comments.reports import views as reports
from comments.requests import views as requests
from comments.store.states import State
from comments.votes import views as votes

REPORTED, HELD, HIDDEN = ({"state": state} for state in (State.REPORTED, State.HELD, State.HIDDEN))
LOVED, COMMENTED = ({"board": board} for board in rankings.BOARDS)

_ID = "<id_with_slashes:comment_id>/"
_PRODUCT = "products/<id:product_id>/"

app_name = "comments"
urlpatterns = [
    path("rankings/most-loved/", rankings.ranking, LOVED, name="most_loved"),
    path("rankings/recently-commented/", rankings.ranking, COMMENTED, name="recently_commented"),
    path(_PRODUCT, views.product, name="product"),
    path(f"{_PRODUCT}comments/<str:languages>/<str:ratings>/", views.comments, name="list"),
    path(f"{_PRODUCT}comments/about/", about.about, name="about"),
    path(f"{_PRODUCT}most-helpful/", rankings.most_helpful, name="most_helpful"),
    path(f"{_PRODUCT}comments/new/", posting.new, name="new_comment"),
    path(f"comments/vote/{_ID}", votes.vote_comment, name="vote_comment"),
    path(f"comments/report/{_ID}", reports.report, name="report_comment"),
    path("staff/comments/", moderation.moderation, REPORTED, name="moderation"),
    path("staff/comments/hidden/", moderation.moderation, HIDDEN, name="hidden_comments"),
    path("staff/comments.csv", moderation.moderation_csv, REPORTED, name="moderation_csv"),
    path(
        "staff/comments/hidden.csv", moderation.moderation_csv, HIDDEN, name="hidden_comments_csv"
    ),
    path("staff/comments/held/", moderation.moderation, HELD, name="held_comments"),
    path("staff/comments/held.csv", moderation.moderation_csv, HELD, name="held_comments_csv"),
    path("staff/comments/decide/", moderation.decide_many, name="decide_comments"),
    path("staff/comments/undo/", moderation.undo_decision, name="undo_decision"),
    path("staff/authors/<user_slug:user_slug>/", moderation.block, name="block_author"),
    path(f"staff/{_PRODUCT}topics/", bans.topics, name="topics"),
    path(f"staff/comments/decide/{_ID}", moderation.decide_one, name="decide_comment"),
    path(f"staff/comments/feature/{_ID}", moderation.feature_comment, name="feature_comment"),
    path(f"staff/comments/reply/{_ID}", replies.reply, name="reply_to_comment"),
    path(f"comments/edit/{_ID}", posting.edit, name="edit_comment"),
    path(f"comments/delete/{_ID}", posting.delete, name="delete_comment"),
    # Of two that fit, the address that is made is the last one.
    path(f"comments/~/{_ID}", views.comment, name="comment"),
    path("comments/<plain_comment_id:comment_id>/", views.comment, name="comment"),
    path("languages/detect/", posting.detect, name="detect_language"),
    path("review-requests/", requests.own_choice, name="review_requests"),
    path("review-requests/<token>/", requests.choice_by_token, name="review_requests_by_token"),
    path("users/<user_slug:user_slug>/", profiles.profile, name="profile"),
]
