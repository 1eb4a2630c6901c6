# What can be done here; "make help" lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL: # the steps use all cores themselves
.DEFAULT_GOAL := help

BENCH ?= .
NODE_MODULES := ui/node_modules/.package-lock.json
PAGE := ui/dist/index.html
GENERATED := server/gen/cambium/v1/workbench.pb.go server/gen/cambium/v1/cambiumv1connect/workbench.connect.go

proto := $(shell find server/proto -name '*.proto' 2>/dev/null)
ui_sources := $(sort $(wildcard ui/*.html ui/*.ts ui/*.json ui/*.yaml) \
	$(shell find ui/src ui/public -type f -not -path 'ui/src/gen/*' -not -name '*.test.ts' 2>/dev/null))

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(NODE_MODULES) ## fetch what building and running need

# npm writes this file last, so that it stands for a complete installation.
$(NODE_MODULES): ui/package-lock.json
	@scripts/check-tools.sh
	npm --prefix ui ci --no-audit --no-fund
	@touch $@

.PHONY: setup-test
setup-test: ## install what only the tests need: a browser, if there is none
	@scripts/setup-test.sh

.PHONY: generate
generate: $(GENERATED) ## write server/gen from server/proto

$(GENERATED) &: $(proto) server/proto/buf.yaml server/proto/buf.gen.yaml go.mod | $(NODE_MODULES)
	scripts/generate.sh
	@touch $(GENERATED)

.PHONY: ui
ui: $(PAGE) ## build the page, if its sources changed

$(PAGE): $(ui_sources) $(proto) $(NODE_MODULES) .cache/ui-files
	npm --prefix ui run build
	@touch $@

# Changes when a source file comes or goes.
.cache/ui-files: FORCE
	@mkdir -p .cache
	@printf '%s\n' $(ui_sources) | cmp -s - $@ || printf '%s\n' $(ui_sources) >$@

.PHONY: build
build: ui ## build ./cambium with the page in it
	go build -trimpath -o cambium ./cmd/cambium

.PHONY: run
run: setup build ## build and open the bundled sample
	./cambium --sample

.PHONY: test
test: setup setup-test lint test-go test-fuzz test-ui test-e2e ## check everything (the first time, this installs a browser)

.PHONY: lint
lint: setup ## check formatting, common mistakes, the rules of the house, generated code
	@scripts/lint.sh

.PHONY: test-go
test-go: ## run the Go tests with the race detector
	@scripts/test-go.sh

.PHONY: test-fuzz
test-fuzz: ## fuzz every target for FUZZTIME (5s)
	@scripts/test-fuzz.sh

.PHONY: test-ui
test-ui: setup ## run the page's unit tests
	@scripts/test-ui.sh

.PHONY: test-e2e
test-e2e: setup-test build ## use the program in a browser (E2E_FILES: what to open)
	@scripts/e2e.sh $(E2E_FILES)

.PHONY: bench
bench: ## run the benchmarks that match BENCH (all)
	@mkdir -p .cache
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./... | tee .cache/bench.txt

.PHONY: screenshots
screenshots: setup-test build ## take pictures of the sample into docs/screenshots
	@scripts/screenshots.sh

.PHONY: clean
clean: ## remove what was built
	rm -rf .cache cambium ui/src/gen ui/e2e/results
	find ui/dist -mindepth 1 -not -name .keep -delete

.PHONY: FORCE
FORCE:
