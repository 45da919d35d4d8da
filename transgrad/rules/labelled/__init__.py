"""Series, data frames and arrays with named dimensions, as classes that the compiler reads in place of those of pandas and xarray.

They compute on arrays. An operation whose result depends on how labels are aligned raises `Misaligned`.
"""
from __future__ import annotations

from .frames import Frame, Series
from .named import DataArray, Dataset
from .reductions import Misaligned

__all__ = ["DataArray", "Dataset", "Frame", "Misaligned", "Series"]
