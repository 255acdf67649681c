# SPDX-License-Identifier: MIT
# The declarations of <refrain/check.h> as a string, for text that is preprocessed already.
$(BUILD)/gen/check_prologue.h: include/refrain/check.h src/check/module.mk
	@mkdir -p $(@D)
	sed -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//d' -e '/^#ifdef __cplusplus/,/^#endif/d' -e '/^#/d' -e '/^ *$$/d' -e 's/RF_API //' \
	    -e 's/\<size_t\>/unsigned long/g' -e 's/\<uint32_t\>/unsigned int/g' -e 's/\<uint64_t\>/unsigned long/g' \
	    -e 's/\<uintptr_t\>/unsigned long/g' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(call objects_of,src/check/contracts): $(BUILD)/gen/check_prologue.h
