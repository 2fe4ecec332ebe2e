"""Speed and memory against other libraries, side by side in one run: `make bench`.

problems.py    the problems, by name        tables.py    how their tables are made or read
libraries/     one file per library         races.py     what a race and a bar are
bars.py        all races and their bars     growth.py    growth curves and their exponents
measure.py     one fresh process            judging.py   how well a tree fits its rows
run.py         all of it: table, JSON       table.py     from measurements to figures
compare.py     is one slower?               commits.py   builds of a commit
interleaved.py two commits in turns         machine.py   what it was measured on
pruning.py     choosing alpha
"""
