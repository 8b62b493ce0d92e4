"""Everything that leaves a project as a file."""
