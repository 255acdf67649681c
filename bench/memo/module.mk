# SPDX-License-Identifier: MIT
# make bench-memo: nanoseconds per look-up in memo tables
BENCHES += bench-memo
.PHONY: bench-memo
bench-memo: $(BUILD)/bench/memo_bench
	$<
$(BUILD)/bench/memo_bench: bench/memo/memo_bench.c $(BUILD)/librefrain-rt.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(BUILD)/librefrain-rt.a -pthread
