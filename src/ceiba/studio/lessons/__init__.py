"""Lessons: the best question computed by hand, with the numbers put into the formulas."""
