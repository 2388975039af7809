# weir: what people and CI run. `make test` is all that a contributor needs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := test

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME ?= 60s
BENCH ?= .
DATA ?= $(firstword $(wildcard ../shared/testdata) internal/conformance/testdata)
MODULES := $(shell find . -name go.mod -not -path '*/testdata/*' -not -path '*/.*/*' -exec dirname {} \; | sort)

# each runs a command in every module of the repository.
each = @for module in $(MODULES); do echo "== $$module: $(1)"; (cd $$module && $(1)) || exit 1; done

.PHONY: test check lint cross conformance bench fuzz soak vuln needs help

## test: install what the tests need (Debian), vet, and run all tests with -race
test: needs
	$(call each,go vet ./...)
	$(call each,go test -race -timeout 15m ./...)

## check: the gate before a merge, the same here and in CI
check: lint test

## lint: formatting, vet, staticcheck, the import table, tests that the documents cite, other systems
lint: cross
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	$(call each,go vet ./...)
	$(call each,go run $(STATICCHECK) ./...)
	go test ./internal/layers
	@for name in $$(grep -oh '\bTest[A-Z][A-Za-z0-9]*' *.md | sort -u); do \
		grep -rqF "func $$name(t " --include=*_test.go . || { echo "a document cites $$name, which is not there"; exit 1; }; done

## cross: the main module builds where CI does not run
cross:
	GOOS=darwin go build ./...
	GOOS=windows go build ./...

## conformance: rows of third-party tables that pass, and why others may fail; DATA=DIR judges other rows
conformance:
	@go run ./internal/conformance -data $(DATA)

## bench: every benchmark once; BENCH=pattern chooses
bench:
	$(call each,go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 2h ./...)

## fuzz: every fuzz target for FUZZTIME, 60 s by default
fuzz:
	FUZZTIME=$(FUZZTIME) .ci/fuzz $(MODULES)

## soak: all tests with their full counts; takes hours
soak: needs
	$(call each,WEIR_SOAK=1 go test -race -timeout 6h ./...)

## vuln: known vulnerabilities; needs the network, so it is not part of check
vuln:
	$(call each,go run $(GOVULNCHECK) ./...)

## needs: install what the tests need, or say what to install
needs:
	@.ci/needs

## help: list the targets
help:
	@sed -n 's/^## //p' Makefile
