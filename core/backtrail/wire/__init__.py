"""What goes over the edge to other programs: how facts are written as JSON."""
