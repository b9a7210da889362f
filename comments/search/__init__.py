"""Search: the words of comments, and the lists of the comments that have them."""
