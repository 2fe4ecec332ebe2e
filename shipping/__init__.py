"""Building what is released: `make wheel`."""
