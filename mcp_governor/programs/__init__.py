"""The programs that we start: where they are (``finding``), and the ways to start one.

``child`` starts a program that we trust, such as git, and can wait for its output, or one of our own modules that
answers requests; ``leashed`` a server of a stranger, which ends with all that it started, also if we are killed.
"""

from mcp_governor.programs.finding import (
    find_program,
    misread,
    our_interpreter,
    our_python,
    our_script,
    program_in,
    program_name,
    startable,
)

__all__ = [
    "find_program",
    "misread",
    "our_interpreter",
    "our_python",
    "our_script",
    "program_in",
    "program_name",
    "startable",
]
