# Lyra: plain `make` lists what can be done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

# Containers often set this: then every one of the processes that tests start would compile all of Lyra anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check audit lock bench bundle clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Install everything into .venv

$(STAMP): requirements.lock pyproject.toml scripts/setup.sh packages/reader-large/pyproject.toml packages/reader-strong/pyproject.toml packages/bench/pyproject.toml
	@PYTHON="$(PYTHON)" sh scripts/setup.sh "$(VENV)"
	@touch $(STAMP)

demo: $(STAMP) ## Run whole research sessions offline, on a simulated web
	@env -u LYRA_SETUP_STRONG $(BIN)/lyra demo --all

test: $(STAMP) ## Run every test: unit, integration and end to end
	@sh scripts/test.sh $(BIN)/python --numprocesses auto --dist loadfile --no-loadscope-reorder

check: $(STAMP) ## Lint, types, the direction of imports, licences and declared imports
	@$(BIN)/ruff check src packages tests training
	@$(BIN)/ruff format --check src packages tests training
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_licences.py
	@$(BIN)/python scripts/check_imports.py

audit: $(STAMP) ## Look for known advisories on what is installed; needs the network
	@$(BIN)/python scripts/audit.py

lock: $(STAMP) ## Write requirements.lock anew from the pyproject.toml files; needs the network and uv
	@$(BIN)/python scripts/make_lock.py

bench: $(STAMP) ## Measure what is slow to measure
	@$(BIN)/lyra bench start
	@$(BIN)/lyra bench speed
	@$(BIN)/lyra bench judge
	@$(BIN)/lyra bench evidence
	@$(BIN)/lyra bench mcp
	@$(BIN)/lyra bench search
	@$(BIN)/lyra bench fetch
	@$(BIN)/lyra bench faults

bundle: $(STAMP) ## Build dist/lyra-VERSION.mcpb, which desktop clients install with a click
	@$(BIN)/python scripts/make_bundle.py

clean: ## Remove what set-up and tests made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
