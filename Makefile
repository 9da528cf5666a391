# Everything a change needs. "make test" is what CI runs, nothing else.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# The tools have a module of their own, so no user of the library downloads them.
TOOL := go tool -modfile=$(CURDIR)/tools/go.mod

# Modules that hold code, and modules that need tidying.
CODE    := . $(patsubst %/go.mod,%,$(wildcard bench/go.mod))
MODULES := $(CODE) tools

# Every check staticcheck has.
CHECKS := all

# Two packages at once: the suite starts servers and JVMs, and is meant for two
# cores. -count=1, since the go command's cache cannot see a server change.
GOTEST  := go test -race -count=1 -p 2
TIMEOUT ?= 20m
ARGS    ?=

REDISSON_ALL := 3.16.8,3.27.2,3.52.0,4.7.0
CURATOR_ALL  := 2.13.0,4.3.0,5.4.0,5.9.0

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: fix
fix: ## format all code, tidy all modules
	$(TOOL) gofumpt -w .
	for m in $(MODULES); do (cd $$m && go mod tidy); done

.PHONY: verify
verify: ## format, vet, lint and module files; changes nothing
	@unformatted=$$($(TOOL) gofumpt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then printf 'not formatted (make fix):\n%s\n' "$$unformatted" >&2; exit 1; fi
	for m in $(CODE); do (cd $$m && go vet ./...); done
	for m in $(CODE); do (cd $$m && $(TOOL) staticcheck -checks '$(CHECKS)' ./...); done
	for m in $(CODE); do (cd $$m && $(TOOL) go-errorlint ./...); done
	for m in $(MODULES); do (cd $$m && go mod tidy -diff); done

.PHONY: install
install: ## find the stores, the JDK and Maven, or install them (Debian, as root)
	scripts/install-stores.sh

.PHONY: test
test: verify install ## verify, then every test under the race detector, Java peers included
	HOLDFAST_REDISSON="$${HOLDFAST_REDISSON:-3.52.0}" \
	HOLDFAST_CURATOR="$${HOLDFAST_CURATOR:-5.9.0}" $(GOTEST) -timeout $(TIMEOUT) $(ARGS) ./...

.PHONY: interop
interop: install ## the tests against Java, with every supported Redisson and Curator
	HOLDFAST_REDISSON="$${HOLDFAST_REDISSON:-$(REDISSON_ALL)}" \
	HOLDFAST_CURATOR="$${HOLDFAST_CURATOR:-$(CURATOR_ALL)}" $(GOTEST) -timeout 60m $(ARGS) ./interop/...

.PHONY: long
long: install ## the long forms of the randomised and fault tests
	HOLDFAST_LONG=1 $(GOTEST) -timeout 90m $(ARGS) ./...

.PHONY: bench
bench: ## measure against the plain alternatives, print the table
	cd bench && go run . $(ARGS)

.PHONY: stores
stores: ## run local stores to try things against, until interrupted
	go run ./internal/stores/cmd/stores $(ARGS)

.PHONY: api
api: ## record the exported API as it is now (internal/apicheck/testdata/api.txt)
	go test -count=1 -run TestExportedAPIIsTheRecordedOne ./internal/apicheck -update
