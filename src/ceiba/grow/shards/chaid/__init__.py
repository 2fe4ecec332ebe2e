"""CHAID over shards: categories are counted where the rows are, and merged and tested here."""
