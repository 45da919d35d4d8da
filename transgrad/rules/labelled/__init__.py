"""Series, data frames and arrays with named dimensions, as classes that the compiler reads in place of those of pandas and xarray.

They compute on arrays. An operation whose result depends on how labels are aligned raises `Misaligned`. Each public name of these
classes has the meaning that it has in pandas and xarray; operations that they lack raise `NotCompiled`.
"""
from __future__ import annotations

from .frames import Frame
from .named import DataArray, Dataset
from .refusals import Misaligned, NotCompiled
from .series import Series

__all__ = ["DataArray", "Dataset", "Frame", "Misaligned", "NotCompiled", "Series"]
