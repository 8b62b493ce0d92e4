"""The largest values that files may hold, apart from their readers: some read numbers without making text."""

ID_BYTES = 512
NUMBER_LENGTH = 100
LARGEST_RANK = 2**31 - 1
LARGEST_WEIGHT = 1_000_000_000_000
LARGEST_GRADE = 1_000_000
NAME_LENGTH = 200
MOST_COLUMNS = 1_000
