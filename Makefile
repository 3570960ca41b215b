# Works with GNU Make 3.81, the one that macOS has. All paths are relative, so a checkout may lie anywhere.

VENV = .venv
VENV_PYTHON = $(VENV)/bin/python
STAMP = $(VENV)/.setup-done
PEERS = .venv-peers
PEERS_STAMP = $(PEERS)/.setup-done
OFFSCREEN = QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen}

# Name another interpreter with `make setup PYTHON=...`; it is used when the environment is made.
PYTHON =
PYTHONS = python3.13 python3.12 python3.11 python3 python

.PHONY: help setup run test lint test-peers bench screenshots lock clean test-long app app-linux test-app

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

setup: $(STAMP) ## Make the environment, install what is locked, convert the embedded model

$(STAMP): requirements.lock pyproject.toml packaging/linux-setup.sh
	@sh packaging/linux-setup.sh
	@if ! sh packaging/find-python.sh "$(VENV_PYTHON)" >/dev/null 2>&1; then \
		python=`sh packaging/find-python.sh "$(PYTHON)" $(if $(PYTHON),,$(PYTHONS))` || exit 1; \
		echo "Making $(VENV) with $$python"; \
		"$$python" -m venv --clear $(VENV) || exit 1; \
	fi
	@$(VENV_PYTHON) -m pip install --disable-pip-version-check --quiet --require-hashes --no-deps -r requirements.lock
	@$(VENV_PYTHON) -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@$(VENV_PYTHON) -m engine.models.demo
	@touch $(STAMP)

run: $(STAMP) ## Open the window
	@$(VENV)/bin/slipstream

test: lint ## Lint, check types and contracts, run all tests
	$(OFFSCREEN) $(VENV_PYTHON) -m pytest -q -n 2 --dist worksteal --ignore=tests/long --ignore=tests/frozen

lint: $(STAMP) ## Lint, check formatting, types and import contracts
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy
	$(VENV)/bin/lint-imports

test-long: $(STAMP) ## Every scheme, target and width over 200 rounds each: many minutes
	$(OFFSCREEN) $(VENV_PYTHON) -m pytest -q -n 2 tests/long

test-peers: $(PEERS_STAMP) ## Compare with public packages, in an environment of their own
	$(OFFSCREEN) $(PEERS)/bin/python -m pytest -q tests/peers

# The peers see the product's environment below their own, and their own versions first.
$(PEERS_STAMP): $(STAMP) packaging/peers.txt
	@$(VENV_PYTHON) -m venv --clear $(PEERS)
	@$(VENV_PYTHON) -c "import sysconfig; print(sysconfig.get_path('purelib'))" > \
		`$(PEERS)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))"`/below.pth
	@$(PEERS)/bin/python -m pip install --disable-pip-version-check --quiet --no-deps -r packaging/peers.txt
	@touch $(PEERS_STAMP)

bench: $(STAMP) ## Measure: prints ratios of one run
	$(OFFSCREEN) $(VENV_PYTHON) -m tests.bench

screenshots: $(STAMP) ## Paint the window into build/screenshots
	$(OFFSCREEN) $(VENV_PYTHON) -m tests.screenshots build/screenshots

app: ## Build Slipstream.app and a disk image (on a Mac); signed where SLIPSTREAM_IDENTITY is set
	@[ "`uname -s`" = Darwin ] || { echo "make app builds on a Mac; here: make app-linux" >&2; exit 1; }
	@sh packaging/build-app.sh

app-linux: ## Freeze the same recipe for Linux, into dist/Slipstream: proves it without a Mac
	@[ "`uname -s`" = Linux ] || { echo "make app-linux builds on Linux; here: make app" >&2; exit 1; }
	@sh packaging/build-app.sh

test-app: $(STAMP) ## Build the application and try it without network and environment: minutes
	@sh packaging/build-app.sh
	$(OFFSCREEN) $(VENV_PYTHON) -m pytest -q tests/frozen

# A lock in this format holds names, versions and hashes, and no address of any registry.
lock: ## Resolve requirements.lock anew (needs uv or pipx)
	@if command -v uv >/dev/null 2>&1; then uv="uv"; \
	elif [ -x $(VENV)/bin/uv ]; then uv="$(VENV)/bin/uv"; \
	elif command -v pipx >/dev/null 2>&1; then uv="pipx run uv"; \
	else echo "make lock needs uv: install it (https://docs.astral.sh/uv) or pipx" >&2; exit 1; fi; \
	$$uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-annotate --no-header --quiet -o requirements.lock

clean: ## Remove the environment and everything that was built
	rm -rf $(VENV) $(PEERS) .venv-app build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
