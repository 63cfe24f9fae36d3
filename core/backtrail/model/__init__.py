"""The facts Backtrail works with, as frozen typed values. Imports nothing else of ours."""
