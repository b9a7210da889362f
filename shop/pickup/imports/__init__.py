"""Imports of pickup points, from a file of points or one of Olist's."""
