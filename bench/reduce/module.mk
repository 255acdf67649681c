# SPDX-License-Identifier: MIT
# make bench-reduce-PART: real bugs beside C-Vise and C-Reduce, the caching paper's tables and figures, the engine's own time,
# kill -9 and --resume, what jobs gain on a clock without noise (bench/reduce/run)
REDUCE_BENCHES := $(addprefix bench-reduce-,subjects paper cost kill scale)
BENCHES += $(REDUCE_BENCHES)
.PHONY: $(REDUCE_BENCHES)
$(REDUCE_BENCHES): bench-reduce-%: all $(BUILD)/bench/paper
	BUILD='$(BUILD)' sh bench/reduce/run $*
$(BUILD)/bench/paper $(BUILD)/bench/scale_farm $(BUILD)/bench/scale_remember: $(BUILD)/bench/%: bench/reduce/%.c bench/reduce/pass_log.h $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)
