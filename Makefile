# All developer commands. Needs Python >= 3.11, a C++20 compiler and make; everything else is installed into .venv.
# Stamp files under .venv record what was installed from which sources, so a second run starts immediately.
#   PYTHON=python3.13 make test    use another interpreter (for a new .venv)
#   STRICT=ON make build           treat compiler warnings as errors (the default when CI is set)
#   make test ARGS="-k gini"       extra arguments for pytest
#   make fuzz MINUTES=60           fuzz the library for an hour
#   make portable ON=wasm          compare the trees of another machine

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
STRICT ?= $(if $(CI),ON,OFF)
ARGS   ?=
MINUTES ?= 5
ON     ?= 32-bit

PY      := $(VENV)/bin/python
STAMPS  := $(VENV)/.ceiba
SOURCES := $(shell find cpp -type f 2>/dev/null) CMakeLists.txt
# worksteal: each worker starts with half of the files, so most fixtures of a file or folder are built once.
PYTEST   = $(PY) -m pytest -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: FORCE help demo film cpp-tests test test-full test-oldest gpu-test sanitize fuzz wheel reproducible portable wasm oracle bench bench-full lint format stubs \
  docs build clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(STAMPS)/built ## learn a tree from the Titanic, print it, write its report into out/ and open it
	@$(PY) -m ceiba demo

film: $(STAMPS)/built $(STAMPS)/browser ## record the film of README and home page into docs/images
	$(PY) examples/film.py docs/images

test: $(STAMPS)/built $(STAMPS)/browser cpp-tests ## run the fast test suite and the examples of docs and docstrings
	$(PYTEST) -m "not slow" $(ARGS)

test-full: $(STAMPS)/built $(STAMPS)/browser $(STAMPS)/multilib $(STAMPS)/docs cpp-tests ## run all tests, including the slow ones and all of make sanitize
	CEIBA_FULL=1 $(PYTEST) $(ARGS)
	@$(MAKE) --no-print-directory sanitize ARGS=--whole

cpp-tests: $(STAMPS)/tools ## compile the unit tests of the C++ core (pytest runs them)
	@mkdir -p build
	@$(VENV)/bin/cmake -S cpp/tests -B build/cpp-tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(VENV))/bin/ninja \
	  > build/cpp-tests.log || { cat build/cpp-tests.log; exit 1; }
	@$(VENV)/bin/cmake --build build/cpp-tests --parallel $(JOBS) > build/cpp-tests.log || \
	  { cat build/cpp-tests.log; exit 1; }

test-oldest: $(STAMPS)/built ## run some tests with the lowest versions that pyproject.toml declares
	STRICT=$(STRICT) CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) PATH="$(abspath $(VENV))/bin:$$PATH" \
	  $(PY) -m tests.hardening.oldest $(ARGS)

sanitize: $(STAMPS)/built ## run the core's tests under AddressSanitizer with UBSan, and under ThreadSanitizer
	PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) -m tests.hardening.sanitize $(ARGS)

gpu-test: $(STAMPS)/built ## compare and time trees on this machine's GPU; run memcheck and racecheck
	$(PY) -m benchmarks.gpu large:two:1e6:8:1:16 large:two:1e7:8:1:16 large:two:1e7:any:1:16 large:two:1e8:8:16 \
	  large:regression:1e8:8:16 large:missing:1e8:8:16 large:classes:1e8:8:16 large:levels:1e8:8:16 \
	  errors queries:3e6 twins:12 trees:150:12:4
	compute-sanitizer --tool memcheck --error-exitcode 1 $(PY) -m benchmarks.gpu no-pool twins:6:4000:64
	compute-sanitizer --tool racecheck $(PY) -m benchmarks.gpu no-pool twins:6:4000:64 > build/racecheck.log
	@! grep "Race reported" build/racecheck.log | grep -v " cupy_" # CuPy's own kernels are not checked here

fuzz: $(STAMPS)/built ## fuzz the library for MINUTES (5); keep findings in tests/hardening/cases
	$(PY) -m tests.hardening.fuzz --minutes $(MINUTES) $(ARGS)

wheel: $(STAMPS)/built $(STAMPS)/release ## build source archive and wheel for release, test them in an empty environment
	PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) -m shipping.wheel

reproducible: wheel ## rebuild the last commit in another folder and compare the bytes with dist/
	PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) -m shipping.reproducible

portable: $(STAMPS)/tools $(if $(filter 32-bit,$(ON)),$(STAMPS)/multilib) ## check that the core grows the same trees elsewhere (ON=32-bit, arm64 or wasm)
	$(PY) -m tests.hardening.portable $(ON)

wasm: $(STAMPS)/tools ## compile the core to WebAssembly for the playground, into build/wasm (needs emscripten)
	@command -v emcmake >/dev/null || { echo "make wasm needs emscripten 4 or newer (emcmake, emmake): install it from \
	https://emscripten.org, or take the package of Debian unstable; Debian 12 has 3.1, which is too old"; exit 1; }
	@mkdir -p build
	@export PATH="$(abspath $(VENV))/bin:$$PATH"; { emcmake cmake -S cpp/wasm -B build/wasm -G Ninja -DCMAKE_BUILD_TYPE=Release && \
	  emmake cmake --build build/wasm --parallel $(JOBS); } > build/wasm.log 2>&1 || { cat build/wasm.log; exit 1; }
	@ls -l build/wasm/ceiba.wasm

oracle: $(STAMPS)/built ## compare with the reference trees in CEIBA_ORACLE (default ../shared/oracle)
	$(PY) tests/oracle/run.py $(ARGS)

bench: $(STAMPS)/built $(STAMPS)/bench ## compare speed and memory with other libraries, three minutes
	$(PY) -m benchmarks.run --subset quick $(ARGS)

bench-full: $(STAMPS)/built $(STAMPS)/bench ## the same at full size, written to docs/benchmarks.md
	$(PY) -m benchmarks.run --subset full --docs $(ARGS)

lint: $(STAMPS)/built ## run ruff and mypy --strict (C++ formatting is not checked: clang-format versions disagree)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(STAMPS)/tools ## format the code with ruff and clang-format
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .
	@if command -v clang-format >/dev/null; then find cpp -name '*.hpp' -o -name '*.cpp' | xargs -r clang-format -i; fi

stubs: $(STAMPS)/built ## generate parameter types for type checkers and editors from the option rows
	$(PY) -m tests.architecture.test_parameter_types

docs: $(STAMPS)/built $(STAMPS)/docs ## build the documentation as HTML in docs/_build/html
	$(PY) -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(PY) docs/_ext/check_site.py docs/_build/html
	@echo "docs/_build/html/index.html"

build: ## recompile the C++ core and install it into .venv
	@rm -f $(STAMPS)/built
	@$(MAKE) --no-print-directory $(STAMPS)/built

clean: ## remove build products (not .venv)
	rm -rf build dist out docs/_build .pytest_cache .mypy_cache .ruff_cache
	rm -f $(STAMPS)/built

# --- set-up, each step runs once -------------------------------------------------------------------------------------

# Print the requirements that pyproject.toml declares for the given extras (and for the build).
define requirements
$(PY) -c "import sys, tomllib; t = tomllib.load(open('pyproject.toml', 'rb')); p = t['project']; \
print(*(r for name in sys.argv[1:] for r in {'build': t['build-system']['requires'] + ['cmake', 'ninja'], \
'project': p['dependencies']}.get(name) or p['optional-dependencies'][name]), sep='\n')"
endef

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ceiba needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/%: pyproject.toml Makefile | $(PY)
	@mkdir -p $(STAMPS)
	@$(requirements) $(if $(filter tools,$*),build project test plot cli excel view studio dask interop,$*) > $(STAMPS)/$*.txt
	@echo "installing packages into $(VENV) ($*)"
	@$(PY) -m pip install -q --disable-pip-version-check -r $(STAMPS)/$*.txt
	@touch $@

# The report is tested in a real browser. Without one, and if apt cannot install it, its tests are skipped.
$(STAMPS)/browser: | $(STAMPS)/tools
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get install -y -qq chromium || \
	    { apt-get update -qq && apt-get install -y -qq chromium; }; } >/dev/null 2>&1; }; \
	  then touch $@; else echo "no chromium: the browser tests of the report will be skipped"; fi

# The unit tests of the core and its trees are compared with a build for 32 bits, likewise.
$(STAMPS)/multilib: | $(STAMPS)/tools
	@if echo '#include <vector>' | g++ -m32 -x c++ -c - -o /dev/null 2>/dev/null || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get install -y -qq g++-multilib || \
	    { apt-get update -qq && apt-get install -y -qq g++-multilib; }; } >/dev/null 2>&1; }; \
	  then touch $@; else echo "no g++-multilib: the comparison with 32 bits will be skipped"; fi

# The installed package is also stale if the compiler's strictness or the list of modules changes, because an editable
# install stores the list. The file changes only when they do.
$(STAMPS)/kind: FORCE | $(STAMPS)/tools
	@echo "strict $(STRICT)" $(sort $(shell find src/ceiba -name "*.py")) > $@.new
	@cmp -s $@.new $@ || mv $@.new $@

# Without build isolation, so that object files in build/ are reused.
$(STAMPS)/built: $(SOURCES) pyproject.toml $(STAMPS)/tools $(STAMPS)/kind
	@echo "compiling the C++ core (the first time about two minutes on two cores)"
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PY) -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
	  -C cmake.define.CEIBA_STRICT=$(STRICT) -e . & build=$$!; \
	while kill -0 $$build 2>/dev/null; do \
	  [ ! -t 2 ] || printf '\r  %s of %s files compiled ' "$$(find build -name '*.o' -newer $(STAMPS)/kind 2>/dev/null | wc -l)" \
	    "$$(grep -hc '^build .*\.o:' build/*/build.ninja 2>/dev/null | sort -n | tail -1)" >&2; sleep 1; \
	done; [ ! -t 2 ] || printf '\r%40s\r' '' >&2; wait $$build
	@# mypy looks for the generated stub next to the sources.
	@cp "$$($(PY) -c 'import ceiba._core as c; print(c.__file__.partition("_core.")[0])')_core.pyi" src/ceiba/
	@touch $@
