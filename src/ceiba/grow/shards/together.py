"""Several trees in the same rounds: their questions travel as one, and so do their answers.

A question to several trees: a mark; how many; for each the number of the tree, how many words, and
these. Answers look the same without the numbers (`Form::several` of the core), which merges them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
_MARK: Final = 2**64 - 1  # a question to one tree begins with a number of levels
_SEVERAL: Final = 3  # Form::several


def joined_questions(questions: Sequence[tuple[int, Words]]) -> Words:
    """Give the questions to several trees as one."""
    parts = [_words(_MARK, len(questions))]
    for tree, question in questions:
        parts += [_words(tree, len(question)), question]
    return np.concatenate(parts)


def is_joined(question: Words) -> bool:
    """Tell whether a question goes to several trees."""
    return int(question[0]) == _MARK


def questions_of(joined: Words) -> Iterator[tuple[int, Words]]:
    """Yield the trees and what each is asked."""
    at = 2
    for _ in range(int(joined[1])):
        tree, n = int(joined[at]), int(joined[at + 1])
        yield tree, joined[at + 2 : at + 2 + n]
        at += 2 + n


def joined_answers(answers: Sequence[Words]) -> Words:
    """Give the answers of several trees as one."""
    parts = [_words(_SEVERAL, len(answers))]
    for answer in answers:
        parts += [_words(len(answer)), answer]
    return np.concatenate(parts)


def is_several(answer: Words) -> bool:
    """Tell whether an answer is that of several trees."""
    return int(answer[0]) == _SEVERAL


def answers_of(joined: Words) -> Iterator[Words]:
    """Yield the answers of several trees."""
    at = 2
    for _ in range(int(joined[1])):
        n = int(joined[at])
        yield joined[at + 1 : at + 1 + n]
        at += 1 + n


def _words(*numbers: int) -> Words:
    return np.array(numbers, np.uint64)
