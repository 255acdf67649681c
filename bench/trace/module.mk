# SPDX-License-Identifier: MIT
# make bench-trace: speed of refrain trace against the issue's figures, reductions replayed, memory
BENCHES += bench-trace
TRACE_BENCH := $(patsubst %,$(BUILD)/bench/trace/%,cputime gentrace behaviour vectors loops olrpass)

$(BUILD)/bench/trace/%: bench/trace/%.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)

.PHONY: bench-trace
bench-trace: all $(TRACE_BENCH)
	BUILD='$(BUILD)' sh bench/trace/run
