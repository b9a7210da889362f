"""What a user of each library writes for a page: of one partition, and of several."""
