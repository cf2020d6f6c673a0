# `make serve` and `make test` are enough for a start. Each target is safe to run again.

PYTHON ?= python3
ADDRESS ?= 127.0.0.1:8000
BIN := .venv/bin
READY := .venv/ready
CLEAR := $(shell $(BIN)/python -c "import pip" 2>/dev/null || echo --clear) # a dead .venv
export NO_MKDOCS_2_WARNING := 1 # that Material ends in 2027 is known
# As they are typed, for `make chapter` and `make outputs`: no `$` in them is looked into.
override NUMBER := $(value NUMBER)
override TITLE := $(value TITLE)
override EXAMPLE := $(value EXAMPLE)
export NUMBER TITLE EXAMPLE

.PHONY: serve test lint types site lighthouse next outputs figures chapter chapters mutants clean anew

serve: $(READY)
	$(BIN)/python -m tools.assets
	$(BIN)/python -m mkdocs serve --dev-addr $(ADDRESS)

test: lint types site
	rm -f build/coverage.json
	SITE_DIR=site $(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term --cov-report=json:build/coverage.json
	$(BIN)/python -m tools.proof site --coverage build/coverage.json

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/pyright

site: $(READY)
	$(BIN)/python -m tools.build

lighthouse: site
	$(BIN)/python tests/browser/lighthouse.py

next: $(READY)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e ".[next]"
	$(BIN)/python -m tools.assets
	SITE_OUT=build/next $(BIN)/python -m zensical build --clean --strict
	$(BIN)/python -m tools.proof build/next

outputs: $(READY)
	@$(BIN)/python -m tools.outputs $$EXAMPLE

figures: $(READY)
	$(BIN)/python docs/figures

chapter: $(READY)
	$(if $(filter-out chapter,$(MAKECMDGOALS)),$(error a TITLE of several words stands in quotes, got $(MAKECMDGOALS) apart))
	@$(BIN)/python -m tools.chapter
	@$(BIN)/python -m tools.proof --chapters

chapters: $(READY)
	@$(BIN)/python -m tools.proof --chapters

mutants: $(READY)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e ".[mutants]"
	OMP_NUM_THREADS=1 $(BIN)/python -m mutmut run
	$(BIN)/python -m mutmut export-cicd-stats
	$(BIN)/python -m tools.mutants

clean:
	rm -rf .cache .venv .site-* build docs/assets/vendor docs/downloads mutants site

$(READY): pyproject.toml constraints.txt $(CLEAR:--clear=anew)
	@echo "Installing into .venv; the first time this takes a minute or more."
	$(PYTHON) -m venv $(CLEAR) .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e ".[site,test]"
	touch $(READY)
