"""The page of one's own account, and the change of its e-mail address."""
