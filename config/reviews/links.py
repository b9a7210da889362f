"""Reviews of what was bought: a customer's orders lead to the app of comments."""

from django.http import HttpRequest

from comments.lists.recent import recently_written
from comments.profiles.queries import latest_by_product
from comments.requests.links import form_path
from comments.users import visitor_of
from dynapages.calls import clock
from shop.reviews import Reviews, ReviewSource


def read_reviews(request: HttpRequest) -> Reviews:
    """Read the newest comments of a request's visitor, with those that they have just written."""
    recent = recently_written(request.session, now=clock.now())
    comments = latest_by_product(visitor_of(request).user_id, recent)
    return {product_id: comment.url for product_id, comment in comments.items()}


COMMENTS = ReviewSource(read=read_reviews, form_url=form_path)
