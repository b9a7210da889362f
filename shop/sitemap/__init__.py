"""Search engines: robots.txt, and the sitemap, in pages of bounded cost."""
