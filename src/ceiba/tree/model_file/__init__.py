"""Functions that read and write model files (``.ceiba``): a tree and its estimator as JSON."""

from __future__ import annotations

from ceiba.tree.model_file.atomic import atomic_write as atomic_write
from ceiba.tree.model_file.document import Document as Document
from ceiba.tree.model_file.document import read as read
from ceiba.tree.model_file.document import write as write
from ceiba.tree.model_file.field import Field as Field
from ceiba.tree.model_file.schema_json import schema_from_json as schema_from_json
from ceiba.tree.model_file.schema_json import schema_to_json as schema_to_json
from ceiba.tree.model_file.tree_json import tree_from_json as tree_from_json
from ceiba.tree.model_file.tree_json import tree_to_json as tree_to_json
from ceiba.tree.model_file.values import UnwritableError as UnwritableError
from ceiba.tree.model_file.values import check_depth as check_depth
from ceiba.tree.model_file.values import from_json as from_json
from ceiba.tree.model_file.values import to_json as to_json
