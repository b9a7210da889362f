"""Pages on which users write comments: post, edit, delete."""

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation.trans_real import parse_accept_lang_header
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from comments.authorship import BadForm, comment_id_of, new_form_id
from comments.counts import counts_of
from comments.filters import CommentFilter
from comments.forms import (
    DEFAULT_LANGUAGE,
    LONGEST_TEXT,
    CommentForm,
    EditForm,
    NewCommentForm,
    detect_label,
)
from comments.items import NewComment
from comments.languages import is_language, preferred_language
from comments.listing import list_url
from comments.posting import PostedOtherwise, load_own, post_comment, save_edit
from comments.recent import remember_written
from comments.services import CommentGone, EditLost, delete_comment
from comments.stored import NoSuchComment, StoredComment, load_comment
from comments.write_limits import take_write, too_often
from dynamo.failures import FAILURES
from dynamo.faults import fault_in
from dynamo.meter import labelled_calls
from dynamo.web.partials import wants_partial
from dynamo.web.refusals import TooManyRequests
from shop.access import signed_in
from shop.accounts.addresses import client_network
from shop.queries import NoSuchProduct, Product, find_product
from shop.returning import back

NOT_YOURS = "There is no such comment of yours. It may have been deleted."
SIGNED_OUT = "You are not signed in any more. Sign in on another page, then send this again."
FORM = "#comment-form"
