"""Splits, their surrogates, their significance tests and their text form."""

from __future__ import annotations

from ceiba.tree.splits.parse import SPLIT_FORMS as SPLIT_FORMS
from ceiba.tree.splits.parse import parse_split as parse_split
from ceiba.tree.splits.sentences import ALL_DIGITS as ALL_DIGITS
from ceiba.tree.splits.sentences import DIGITS as DIGITS
from ceiba.tree.splits.sentences import class_text as class_text
from ceiba.tree.splits.sentences import format_cut as format_cut
from ceiba.tree.splits.sentences import level_text as level_text
from ceiba.tree.splits.sentences import levels_sentence as levels_sentence
from ceiba.tree.splits.sentences import number_text as number_text
from ceiba.tree.splits.sentences import quote_level as quote_level
from ceiba.tree.splits.sentences import range_sentence as range_sentence
from ceiba.tree.splits.split_table import Split as Split
from ceiba.tree.splits.split_table import SplitKind as SplitKind
from ceiba.tree.splits.split_table import SplitTable as SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable as CompetitorTable
from ceiba.tree.splits.surrogates import SplitsByNode as SplitsByNode
from ceiba.tree.splits.surrogates import SurrogateTable as SurrogateTable
from ceiba.tree.splits.surrogates import with_cut_digits as with_cut_digits
from ceiba.tree.splits.tests import SplitTests as SplitTests
