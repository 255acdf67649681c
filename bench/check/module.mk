BENCHES += bench-check
.PHONY: bench-check
# the whole: paper study, in-place structures, random comparison, a program from Debian (needs the network)
bench-check: all
	@BUILD='$(BUILD)' sh bench/check/run
