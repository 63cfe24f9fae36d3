"""One look becomes one transaction: checkpoint row, Source Event, Admission, observation."""
