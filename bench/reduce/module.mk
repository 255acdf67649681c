# make bench-reduce-subjects: real bugs, refrain beside C-Vise and C-Reduce (bench/reduce/subjects.sh)
BENCHES += bench-reduce-subjects
.PHONY: bench-reduce-subjects
bench-reduce-subjects: all
	REFRAIN=$(CURDIR)/$(BUILD)/refrain bash bench/reduce/subjects.sh
