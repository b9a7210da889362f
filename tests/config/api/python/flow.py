"""What a script does: read a list, write a comment and edit it.

Its client is what openapi-python-client makes of the API's schema.
"""

import json
import sys

from shop_client.api.comments import comments_edit, comments_list_comments, comments_post
from shop_client.client import AuthenticatedClient
from shop_client.models import (
    CommentConflict,
    CommentOut,
    DraftIn,
    EditIn,
    Language,
    ProductCommentListing,
)

address, key, product_id = sys.argv[1:]
client = AuthenticatedClient(address, key, raise_on_unexpected_status=True)

languages = [Language.EN, Language.DE]
listed = comments_list_comments.sync(product_id, client=client, language=languages, rating=[4, 5])
assert isinstance(listed, ProductCommentListing)

draft = DraftIn(rating=5, title="Bright", text="It lights up.")
own = comments_post.sync(product_id, client=client, body=draft, idempotency_key="posted-once")
again = comments_post.sync(product_id, client=client, body=draft, idempotency_key="posted-once")
assert isinstance(own, CommentOut)
assert isinstance(own.version, int)

edit = EditIn(rating=4, text=draft.text, version=own.version)
edited = comments_edit.sync(own.id, client=client, body=edit)
assert isinstance(edited, CommentOut)
late = comments_edit.sync(own.id, client=client, body=EditIn(rating=3, version=own.version))
assert isinstance(late, CommentConflict)
assert isinstance(late.current, CommentOut)

done = {
    "listed": len(listed.items),
    "posted_once": own == again,
    "edited": [edited.rating, edited.version],
    "refused": late.code,
    "there_now": [late.current.rating, late.current.version],
}
sys.stdout.write(json.dumps(done))
