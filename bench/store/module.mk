# SPDX-License-Identifier: MIT
# Gets and puts per second of each kind of store.
BENCHES += bench-store
.PHONY: bench-store
$(BUILD)/bench/store_bench: bench/store/store_bench.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)
bench-store: $(BUILD)/bench/store_bench
	$(BUILD)/bench/store_bench
