"""The guide that brings a state back."""
