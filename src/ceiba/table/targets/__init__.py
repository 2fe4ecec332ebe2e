"""The target: class labels or numbers, as an array or as a column of the table."""
