"""The application, its window, actions and state line."""
