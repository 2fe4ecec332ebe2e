"""Trees that are not grown: written by hand, from arrays; and random data drawn from a tree."""
