"""Speed and memory against other libraries, side by side in one run: `make bench`.

problems.py    the tables, by name          libraries/   one file per library
races.py       who runs what, and the bars  measure.py   one measurement = one fresh process
run.py         all of it: table, JSON       compare.py   two results: is one slower?
"""
