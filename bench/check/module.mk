# SPDX-License-Identifier: MIT
# make bench-check: contracts on persistent structures (the paper's study), on structures changed in place, the long random
# comparison, a real program, and the paper's host (bench/check/run.sh has the parts)
BENCHES += bench-check
.PHONY: bench-check
bench-check: all
	for part in paper marks random real prolog; do REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/check/run.sh $$part || exit 1; done
