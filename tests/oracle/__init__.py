"""Holds ceiba against the goldens of rpart, scikit-learn and Weka: `python -m tests.oracle`, or
`make oracle`.
"""
