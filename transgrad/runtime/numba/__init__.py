"""What texts for Numba call: functions that Numba compiles, imported by nothing else, for they import it."""
