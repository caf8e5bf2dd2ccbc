"""mcp-governor as a job of GitHub Actions or GitLab CI/CD: what is compared, who approved a break, and what is posted.

A job has three phases (:mod:`.phases`). ``prepare`` and ``comment`` may hold a token and start no server; ``check``
starts the server and holds none.
"""
