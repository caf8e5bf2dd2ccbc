# `make check` and `make test` install everything that they use.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
READY := $(VENV)/.ready

# Where the environment forbids bytecode, as images for containers do, each of the hundreds of processes that the tests
# start would compile again what it imports: pytest its own modules and the tests, a runner's server its whole SDK.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: check self-check test rest test-all costs lint types bench accuracy proxies fuzz mutation docs site recall recordings precision dist \
	clean

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,test,serve,run]'
	$(BIN)/python -m compileall -q mcp_governor
	@touch $@

# Checks our own MCP server, and a public one that uvx fetches.
check: $(READY)
	$(BIN)/mcp-governor check
	$(BIN)/mcp-governor check --isolated pypi:mcp-server-time

# Our own server over stdio and HTTP, in both protocol eras; anything that is found fails. See docs/project/testing.md.
self-check: $(READY)
	$(BIN)/pytest tests/integration/test_self_check.py

# The tiers are by what each test costs (tests/tiers.py): `make test` is what one waits for, `make rest` the dear tests and
# those of live servers, `make test-all` all of it with everything beside. Three workers for two cores, because each of
# them waits at times: for a server, a process that ends, or a time limit.
PYTEST := $(BIN)/pytest -n 3 --dist worksteal
FAST := not live and (readme or not slow)
REST := live or (slow and not readme)

test: lint
	$(BIN)/mcp-governor check
	$(PYTEST) -m '$(FAST)'

# QUARTER=1 to 4 takes the files of one fourth, as a day of CI does.
rest: $(READY)
	$(PYTEST) -m '$(REST)' $(if $(QUARTER),--quarter $(QUARTER))

# The types for other systems and a minute of fuzzing run beside the tests; the closing line of pytest stands last. `make`
# is not $(MAKE) here, because a dry run executes every line that has that.
test-all: lint
	@mkdir -p build; make --no-print-directory types >build/types.log 2>&1 & types=$$!; \
	make --no-print-directory fuzz >build/fuzz.log 2>&1 & fuzz=$$!; trap "kill $$types $$fuzz 2>/dev/null" EXIT; \
	set -o pipefail; [ -t 1 ] && color=yes || color=auto; status=0; \
	$(PYTEST) --color=$$color | tee build/tests.log || status=1; \
	wait $$types || status=1; wait $$fuzz || status=1; \
	cat build/types.log build/fuzz.log; tail -n 1 build/tests.log; exit $$status

# Measures every test and writes tests/costs.json, from which the tiers follow. A nightly workflow proposes the change.
costs: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal --costs tests/costs.json

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The examples, and the other systems as far as types show them: a name that only POSIX has would end a run on Windows.
types: $(READY)
	$(BIN)/mypy --strict examples/*/*.py
	$(BIN)/mypy --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --no-warn-unreachable --cache-dir .mypy_cache/darwin

# Ratios, measured side by side in one run; see docs/project/benchmarks.md.
bench: $(READY)
	$(BIN)/python tools/bench.py
	$(BIN)/python tools/bench_load.py

# Verdicts against the oracle and the corpus next to the repository, if they exist.
accuracy: $(READY)
	$(BIN)/python tools/accuracy.py

# Top-1 figures of the proxies of `eval` on labelled queries next to the repository, if they exist.
proxies: $(READY)
	$(BIN)/python tools/proxy_figures.py

# Random questions with a fresh seed, each answer checked independently; see docs/project/testing.md.
FUZZ_SECONDS ?= 60
fuzz: $(READY)
	$(BIN)/python tools/fuzz.py all --seconds $(FUZZ_SECONDS) $(if $(FUZZ_SEED),--seed $(FUZZ_SEED))

# A sample of mutants of the four packages that decide verdicts; see docs/project/testing.md. An hour and more.
mutation: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutation]'
	for package in schemas containment change policy; do \
		$(BIN)/python tools/mutation.py $$package --out survivors-$$package.json || exit 1; done

# The reference pages, from where each fact is declared.
docs: $(READY)
	$(BIN)/python tools/docs.py

# The documentation as a site in build/site, to be opened from disk or served; any warning is an error.
site: $(READY) docs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python tools/site.py
	$(BIN)/zensical build --strict --clean
	$(BIN)/python tools/site.py --check

# How many problems that a reviewer noted are found (fixtures/quality/recall). MORE="--misses --server NAME" lists them.
recall: $(READY)
	$(BIN)/python tools/recall.py --split $(or $(SPLIT),dev) $(if $(UPDATE),--update) $(MORE)

# What the labelled servers publish that are not in the corpus, from the registries. Half an hour.
recordings: $(READY)
	$(BIN)/python tools/record_servers.py $(MORE)

# How many judged findings are useful (fixtures/quality/precision). UPDATE=1 records the figures that CI checks.
precision: $(READY)
	$(BIN)/python tools/precision.py --split $(or $(SPLIT),all) $(if $(UPDATE),--update) $(MORE)

# The wheel and the sdist, checked as a package index would, and the wheel in an environment of its own without extras.
# Then one file with everything for this system and this Python: it unpacks into ~/.shiv when it is first started.
dist: $(READY)
	rm -rf dist build/dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine shiv
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/dist && bin/mcp-governor demo >/dev/null && bin/mcp-governor rules >/dev/null
	$(BIN)/shiv --quiet --console-script mcp-governor --python '/usr/bin/env python3' \
		--output-file build/mcp-governor.pyz "$$(ls dist/*.whl)[run,serve]"
	SHIV_ROOT=build/dist build/mcp-governor.pyz demo >/dev/null
	ls -l dist build/mcp-governor.pyz

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .import_linter_cache build dist
