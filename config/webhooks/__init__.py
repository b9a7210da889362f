"""Webhooks of this site: the events of comments, of which the shop alone knows nothing."""
