# SPDX-License-Identifier: MIT
# One reduction by many workers, and how many empty tests a second go through one Redis server.
BENCHES += bench-farm
.PHONY: bench-farm
$(BUILD)/bench/farm_flood $(BUILD)/bench/delay_proxy $(BUILD)/bench/wire_count: $(BUILD)/bench/%: bench/farm/%.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)
$(BUILD)/bench/count_solver: bench/smt/count_solver.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS)
bench-farm: $(BUILD)/refrain $(BUILD)/bench/scale_farm $(BUILD)/bench/farm_flood $(BUILD)/bench/delay_proxy $(BUILD)/bench/wire_count $(BUILD)/bench/count_solver
	BUILD='$(BUILD)' sh bench/farm/run
	BUILD='$(BUILD)' sh bench/farm/flood
	BUILD='$(BUILD)' sh bench/farm/smt
