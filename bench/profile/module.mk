# SPDX-License-Identifier: MIT
# make bench-profile: slow-down of the tools on lua, and three Debian projects with two caches applied by hand. Needs the network (apt).
BENCHES += bench-profile
.PHONY: bench-profile
bench-profile: all $(BUILD)/bench/paired
	BUILD='$(BUILD)' sh bench/profile/slowdown.sh
	BUILD='$(BUILD)' sh bench/profile/projects.sh
$(BUILD)/bench/paired: bench/profile/paired.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 $< -o $@ -lm
