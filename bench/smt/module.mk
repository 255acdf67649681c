# make bench-smt: refrain smt against z3 on real and generated queries (bench/smt/run.sh has the parts)
BENCHES += bench-smt
.PHONY: bench-smt
bench-smt: all
	for part in verdicts reuse time solvers vary; do REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/smt/run.sh $$part || exit 1; done
