# SPDX-License-Identifier: MIT
# make bench-smt: refrain smt against z3 on real and generated queries (bench/smt/run.sh has the parts)
BENCHES += bench-smt
.PHONY: bench-smt
bench-smt: all
	for part in verdicts reuse inclusion time solvers canonize memory ablation vary; do \
	  REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/smt/run.sh $$part || exit 1; done
$(BUILD)/bench/smt_replay: bench/smt/replay.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)
$(BUILD)/bench/smt_executor: bench/smt/executor.c $(BUILD)/librefrain.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/librefrain.a $(LIBS)
