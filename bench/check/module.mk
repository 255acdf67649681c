# SPDX-License-Identifier: MIT
# make bench-check: contracts on persistent structures (the paper's study), on structures changed in place, the long random
# comparison, and a real program (bench/check/run.sh has the parts)
BENCHES += bench-check
.PHONY: bench-check
bench-check: all
	for part in paper marks random real; do REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/check/run.sh $$part || exit 1; done
