"""The site of the library's documents: ``make docs`` builds it with Sphinx.

The pages are plain Markdown, to be read in the repository too. What a site needs besides is here
and in the folder ``sphinx_parts``.
"""

import logging
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import django
from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

# The modules of the reference are imported, and some want settings of Django. Importing one of moto
# logs to stdout what PynamoDB has no settings for.
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"])
django.setup()
logging.getLogger("pynamodb").setLevel(logging.WARNING)

distribution = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
addresses = distribution["urls"]

project = "dynapages"
version = release = distribution["version"]
copyright = "the authors of dynapages; MIT licence"  # noqa: A001 - Sphinx reads it by this name

extensions = [
    "myst_parser",
    "notfound.extension",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_llm.txt",
    "dynapages.docs.sphinx_parts.descriptions",
    "dynapages.docs.sphinx_parts.links",
    "dynapages.docs.sphinx_parts.markdown_copies",
    "dynapages.docs.sphinx_parts.reference",
    "dynapages.docs.sphinx_parts.signatures",
]
exclude_patterns = ["sphinx_parts"]
nitpicky = True
smartquotes = False  # as the repository shows the pages

# Headings have the anchors that they have in the repository.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"dynapages {version}"
html_baseurl = addresses["Documentation"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False  # each module's page lists its names, and the search finds them
html_domain_indices = False
html_theme_options = {
    "source_repository": addresses["Repository"],
    "source_branch": "main",
    "source_directory": "dynapages/docs/",
}

# Of a terminal the commands are copied, without what stands before them and what they print.
copybutton_exclude = ".linenos, .gp, .go"

# A page that is not there is answered at any depth: its links begin at the root of the host.
notfound_urls_prefix = urlsplit(html_baseurl).path

# For programs that read: a Markdown file of each page, a list of them, and all in one.
llms_txt_description = distribution["description"]
llms_txt_full_build = True
llms_txt_build_parallel = False
llms_txt_nested_enabled = False
llms_txt_suffix_mode = "replace"
markdown_http_base = html_baseurl

# The reference: see sphinx_parts/reference.py.
default_role = "public"
add_module_names = False
autodoc_default_options = {"special-members": "__iter__, __aiter__, __call__"}
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
# Where a function has several signatures, they are read from its text.
autodoc_type_aliases = {"Item": "dynapages.items.Item", "Partitions": "Partitions"}
maximum_signature_line_length = 80
python_use_unqualified_type_names = True
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"
