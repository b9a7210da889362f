"""Read rows of CSV, JSON and XML for imports, write exports, and give both their options.

Not public: what is here serves this project's own commands and changes without notice, so no
module of this folder has an `__all__`, and docs/names.md leaves it out.
"""
