"""Speed and memory compared with other libraries, in one run: `make bench`.

problems.py    the problems, by name        tables.py    generates or reads their tables
libraries/     one file per library         races.py     races and bars
bars.py        all races and their bars     growth.py    growth curves and their exponents
measure.py     one fresh process            judging.py   the fit of a tree to its rows
run.py         everything: table, JSON      table.py     from measurements to figures
compare.py     two commits or results       commits.py   builds of a commit
interleaved.py two commits alternating      machine.py   processor, cores, versions
pruning.py     choosing alpha
"""
