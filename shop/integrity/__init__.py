"""The checks of the table ``shop``: every key derived again, every counter recounted.

One Scan reads the table for all checks (`shop.integrity.checks`). Orders, products and points may
change meanwhile: what looks wrong is read again, strongly, before it is called a difference, and
is mended only if what it was derived from has not changed since.
"""
