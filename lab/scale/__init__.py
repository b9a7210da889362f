"""Scale on paper: measured units of requests against the published limits of partitions."""
