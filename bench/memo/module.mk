# SPDX-License-Identifier: MIT
# make bench-memo: nanoseconds per look-up in memo tables, beside a table written by hand and C++'s unordered_map
BENCHES += bench-memo
.PHONY: bench-memo
bench-memo: $(BUILD)/bench/memo_bench
	$<
$(BUILD)/bench/memo_bench: bench/memo/memo_bench.c $(BUILD)/bench/memo_unordered.o $(BUILD)/librefrain-rt.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< $(BUILD)/bench/memo_unordered.o -o $@ $(BUILD)/librefrain-rt.a -pthread -lstdc++
$(BUILD)/bench/memo_unordered.o: bench/memo/unordered.cc
	@mkdir -p $(@D)
	$(CXX) -O2 -Wall -Wextra -c $< -o $@
