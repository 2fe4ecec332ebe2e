"""Select split columns by p-values that are corrected for the search over splits."""

from __future__ import annotations

from ceiba.grow.significance.independence import Method as Method
from ceiba.grow.significance.independence import TestResult as TestResult
from ceiba.grow.significance.independence import chi_square_test as chi_square_test
from ceiba.grow.significance.search_p_values import Correction as Correction
from ceiba.grow.significance.search_p_values import SplitTest as SplitTest
