# Homie. `make help` lists what there is to make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TASK ?= find the tomato soup can, open the fridge, put it in and close it
SEED ?= 4
SAMPLE ?= 400
AREA ?= core
OUT ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
# From 4.0 on, MuJoCo's files come with mujoco-core: pip would remove them with the mujoco of before.
FORGET_OLD_MUJOCO = $(PIP) show --quiet mujoco-core 2>/dev/null || $(PIP) uninstall --quiet --yes mujoco 2>/dev/null
SOURCES := .ci examples homie planners skills perception error_detection ros_bridge robot_server ros suites benchmarks tests

.DEFAULT_GOAL := help
.PHONY: help demo test slow experts mutants docs check-docs lint format bench bounds clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

demo: $(VENV)/core.stamp ## install Homie and run a household task with a video
	@$(BIN)/homie run "$(TASK)" --seed $(SEED) --out $(OUT)

test: lint ## install what development needs, lint, type-check, run the tests that take less than four seconds each
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow and not experts and not docs"

slow: $(VENV)/dev.stamp ## run the tests of whole episodes, servers and packages of others, half an hour
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "slow and not experts and not docs"

experts: $(VENV)/dev.stamp ## play every expert of homie-100, about twenty minutes
	$(BIN)/python -m pytest -n 2 --dist worksteal -m experts

mutants: $(VENV)/dev.stamp ## change SAMPLE places of AREA, see which the tests notice (docs/testing.md)
	$(BIN)/python -m benchmarks.mutants --area $(AREA) --sample $(SAMPLE) --seed $(SEED)

docs: $(VENV)/docs.stamp ## build the documentation as a site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

check-docs: $(VENV)/dev.stamp ## run every code block of README and docs as written
	$(BIN)/python -m pytest -n 2 --dist worksteal -m docs tests/docs

lint: $(VENV)/dev.stamp ## ruff, codespell and mypy
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	git ls-files '*.py' '*.md' ':!tests/golden' ':!docs/words.txt' | xargs $(BIN)/codespell
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## let ruff fix and format what it can
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

bounds: ## install the wheel at the lowest bounds and with the newest versions, and run it (PYTHONS="python3.11 python3.12")
	$(PYTHON) .ci/bounds.py $(PYTHONS)

bench: $(VENV)/core.stamp ## measure speed, write it into docs/speed.md
	$(BIN)/python -m benchmarks.speed.run

clean: ## remove the environment and caches (run folders stay)
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("Homie needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.11 ..." % v[:2])'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/core.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Homie (a minute or two) ..."
	@$(FORGET_OLD_MUJOCO)
	@$(PIP) install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Homie with what development needs (some minutes) ..."
	@$(FORGET_OLD_MUJOCO)
	@$(PIP) install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/core.stamp

$(VENV)/docs.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Homie with what the site needs ..."
	@$(PIP) install --quiet -c constraints.txt -e '.[docs]'
	@touch $@ $(VENV)/core.stamp
