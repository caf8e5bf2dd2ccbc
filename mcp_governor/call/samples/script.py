def example() -> str:
    """Say hello."""
    return "hello"
