"""Reviews of what was bought: links from orders to them, and e-mails that ask for them."""
