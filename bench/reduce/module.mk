# SPDX-License-Identifier: MIT
# make bench-reduce-subjects: real bugs, refrain beside C-Vise and C-Reduce (bench/reduce/subjects.sh)
BENCHES += bench-reduce-subjects
.PHONY: bench-reduce-subjects
bench-reduce-subjects: all
	REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/reduce/subjects.sh

# make bench-reduce-paper: the tables and figures of the caching paper, in comparable form (bench/reduce/paper.sh)
BENCHES += bench-reduce-paper
.PHONY: bench-reduce-paper
bench-reduce-paper: $(BUILD)/bench/paper
	PAPER=$(CURDIR)/$(BUILD)/bench/paper sh bench/reduce/paper.sh
$(BUILD)/bench/paper: bench/reduce/paper.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)

# make bench-reduce-cost: the engine's own time, the second job (bench/reduce/cost.sh)
BENCHES += bench-reduce-cost
.PHONY: bench-reduce-cost
bench-reduce-cost: all $(BUILD)/bench/paper
	REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/reduce/cost.sh

# make bench-reduce-kill: kill -9 at random moments, then --resume (bench/reduce/kill.sh)
BENCHES += bench-reduce-kill
.PHONY: bench-reduce-kill
bench-reduce-kill: all
	REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/reduce/kill.sh

# make bench-reduce-scale: what jobs gain, on a clock without noise (bench/reduce/scale.sh)
BENCHES += bench-reduce-scale
.PHONY: bench-reduce-scale
bench-reduce-scale: $(BUILD)/bench/paper
	PAPER=$(CURDIR)/$(BUILD)/bench/paper bash bench/reduce/scale.sh
$(BUILD)/bench/scale_farm: bench/reduce/scale_farm.c $(BUILD)/internal.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ $(LDFLAGS) $(BUILD)/internal.a $(LIBS)
