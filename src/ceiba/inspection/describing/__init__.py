"""What a table is like before anything is learned from it: kinds, gaps, distributions, doubts."""
