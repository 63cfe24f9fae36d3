"""The tray icon, its menu, and what is told when nobody looks at the window."""
