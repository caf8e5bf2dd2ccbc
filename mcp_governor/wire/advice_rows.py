"""What a failed start says, and the hint that follows, as rows: a group of the expression is a word of the sentence.

A name that gets into a hint matches a strict pattern, so that hostile output cannot get into a command. Besides the
groups, a sentence may have ``{other}`` (how another version is named), ``{add}`` (how ``{name}`` is installed with the
server) and ``{option}`` (the option for that).
"""

from __future__ import annotations

import re

NAME = r"[A-Za-z0-9][\w.-]{0,80}"
"""A package, a program or a script."""

_PATH = r"[\w./~@ :+-]{1,120}"
_HOST = r"[\w.-]{1,80}"

PYTHON = re.compile(
    r"the current Python version \((?P<current>\d+\.\d+)[\d.]*\) does not satisfy "
    r"Python(?:>=|>|==|~=)(?P<needed>\d+\.\d+)"
)


def _rows(*rows: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(form), words) for form, words in rows)


INSTALLED = _rows(
    (
        rf"[Pp]ackage [`'\"]{NAME}[`'\"] does not provide any executables",
        "The package is a library and installs no command. Name the package that starts the server.",
    ),
    (
        r"Failed to download [`'\"]?https?://[^\s`'\"]{1,200}/cpython-(?P<name>\d+\.\d+)",
        "It needs Python {name}, which is not on this machine and cannot be downloaded. Install Python {name}.",
    ),
    (
        PYTHON.pattern,
        "It needs Python {needed}; this is {current}. Let uv find or fetch it: set UV_PYTHON={needed}",
    ),
    (
        rf"Failed to build [`'\"](?P<name>{NAME})",
        "uv cannot build {name}, of which there is no wheel for this Python. Try another Python "
        "(UV_PYTHON=3.12), or install what the build needs.",
    ),
    (
        rf"npm (?:error|ERR!) path [^\n]{{0,300}}node_modules/(?P<name>(?:@{NAME}/)?{NAME})\n"
        r"npm (?:error|ERR!) command failed",
        "npm cannot install {name}, which it depends on. Install what its build needs, or try another version{other}.",
    ),
    (r"npm (?:error|ERR!) code EBADPLATFORM", "It does not run on this operating system."),
    (
        r"(?P<name>lib[\w.+-]{1,60}\.so[\d.]{0,12}): cannot open shared object file",
        "It needs {name}, a library of the system that is not installed. Install the system's package that has it.",
    ),
    (
        r"version `(?P<name>GLIBC_[\d.]{1,8})' not found",
        "It needs a newer C library ({name}) than that of this system. Start it in a container, or try another "
        "version{other}.",
    ),
    (
        r"site-packages/[^\n]{0,300}\n(?:[^\n]{0,300}\n){1,4}?(?:SyntaxError|IndentationError|TabError): ",
        "Its code is not valid for this Python. Try another version of it{other}, or a newer Python: UV_PYTHON=VERSION",
    ),
)
"""What is wrong with the installation, and what to do: a group of the expression is a word of the sentence."""

MODULES = _rows(
    (
        r"ImportError: cannot import name '\w+' from '(?P<name>[A-Za-z]\w{0,80})[\w.]{0,200}' "
        r"\([^\n]{0,300}site-packages",
        "It was written for an older version of {name} than the one installed with it. Add one that fits: "
        "{option} '{name}<VERSION'",
    ),
    (
        r"ModuleNotFoundError: No module named '(?P<name>[A-Za-z_]\w{0,80})[\w.]{0,200}'",
        "It needs a module that is not installed with it. {add}",
    ),
    (
        r"Cannot find (?:module|package) '[^'\n]*' imported from [^\n]{0,300}node_modules/",
        "A module that it needs is not installed with it. Try another version{other}.",
    ),
)
"""The same, of what is not the MCP SDK."""

AT_WORK = _rows(
    (
        r"(?i)kube-?config\b",
        "It needs access to a Kubernetes cluster: ~/.kube/config, or the path of another file: --env KUBECONFIG",
    ),
    (
        r"Unable to locate credentials|NoCredentialsError|CredentialsProviderError",
        "It needs credentials of AWS: --env AWS_PROFILE, or --env AWS_ACCESS_KEY_ID --env AWS_SECRET_ACCESS_KEY",
    ),
    (
        r"DefaultCredentialsError|Could not load the default credentials",
        "It needs credentials of Google Cloud, in a file: --env GOOGLE_APPLICATION_CREDENTIALS",
    ),
    (
        r"Executable doesn't exist at|playwright install",
        "It needs a browser of Playwright that is not installed: npx playwright install, or uvx playwright install",
    ),
    (
        r"\$DISPLAY|Missing X server|[Cc]annot open display|KeyError: 'DISPLAY'",
        "It needs a graphical desktop. Start it on one, or under xvfb-run.",
    ),
    (
        r"(?i:requires|only (?:runs|works|supported|supports|available)(?: on)?) (?P<name>macOS|Windows|Linux)\b",
        "It runs only on {name}.",
    ),
    (
        rf"ECONNREFUSED (?P<name>{_HOST}:\d{{2,5}})",
        "It cannot connect to {name}. Start the service that listens there, or give it another address, with a "
        "variable (--env NAME) or an argument (after --).",
    ),
    (
        r"ECONNREFUSED|ConnectionRefusedError|[Cc]onnection refused|ServerSelectionTimeoutError",
        "It cannot connect to a service that it needs. Start the service, or give it another address, with a "
        "variable (--env NAME) or an argument (after --).",
    ),
    (
        rf"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?P<name>{_HOST})",
        "It cannot find the host {name}. Check the network, or the address that it is given.",
    ),
    (
        r"Name or service not known|Temporary failure in name resolution|nodename nor servname",
        "It cannot find a host that it connects to. Check the network, or the address that it is given.",
    ),
    (
        r"EADDRINUSE|[Aa]ddress already in use",
        "The port on which it listens is in use. End the program that has it, or give it another port.",
    ),
    (
        rf"spawn (?P<name>{NAME}) ENOENT",
        "It starts {name}, which is not installed. Install it, and put it in PATH.",
    ),
    (
        r"No such file or directory: '(?P<name>[A-Za-z][\w-]{0,40})'",
        "It starts or reads {name}, which does not exist here. Install it and put it in PATH, or create it.",
    ),
    (
        rf"(?:ENOENT: no such file or directory, \w{{1,12}}|No such file or directory:) '(?P<name>{_PATH})'",
        "It reads {name}, which does not exist. Create it, or name another, with a variable (--env NAME) or an "
        "argument (after --).",
    ),
    (
        rf"(?:(?:EACCES|EROFS): [\w -]{{1,40}}, \w{{1,12}}|Permission denied:) '(?P<name>{_PATH})'",
        "It may not write or read {name}. Change the permissions, or name another place.",
    ),
)
"""What a program misses that was installed and did not start, if it names no variable and no argument."""
