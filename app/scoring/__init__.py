"""The scoring floor: arrays in, numbers out. NumPy only; no ids, no dates, no input or output."""
