"""The demo's four rankers: NumPy and the standard library, nothing learned, the same lists each time."""
