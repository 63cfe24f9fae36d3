"""The English sentence for each code: what happened, and what to do. No other room writes sentences of its own."""
