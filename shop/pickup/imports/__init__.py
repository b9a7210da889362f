"""Imports of pickup points, from a file of points or one of Olist's.

========  ====================================================================
kinds     what a file is, by its header
fields    the fields of a row
rows      a row made a pickup point, or refused
zips      Olist's geolocation: the middle of the rows of each zip prefix
run       the import itself, in two passes
========  ====================================================================
"""
