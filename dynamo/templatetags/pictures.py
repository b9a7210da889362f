"""Pictures of how pages were read."""

from django import template

from dynamo.lists.explain import Explanation
from dynamo.lists.picture import Picture, picture_of

register = template.Library()


@register.inclusion_tag("_explanation_picture.html")
def merge_picture(explanation: Explanation) -> dict[str, Picture]:
    """Draw how the page of a list was merged from its queries."""
    return {"picture": picture_of(explanation)}
