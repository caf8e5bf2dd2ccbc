"""What the specification requires of a server, its tools and their schemas."""
