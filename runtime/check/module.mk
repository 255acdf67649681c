# SPDX-License-Identifier: MIT
# What only refrain-cc links: librefrain-barrier.a into programs (librefrain-mixed.a if some
# of their objects lack the barrier), librefrain-stubs.a also into each shared library, and the
# allocator, with the functions that map memory, open files, set handlers or note what is called at the end, into
# programs that have none of their own.
RT_BARRIER := $(BUILD)/obj/runtime/check/barrier/
STUBS_OBJ := $(RT_BARRIER)stubs.o
START_OBJ := $(RT_BARRIER)start.o
MIXED_OBJ := $(RT_BARRIER)mixed.o
ALLOCATOR_OBJ := $(patsubst %,$(RT_BARRIER)%.o,malloc maps files exits signals)
BARRIER_LIBS := $(patsubst %,$(BUILD)/librefrain-%.a,stubs barrier mixed malloc)
$(START_OBJ) $(MIXED_OBJ) $(ALLOCATOR_OBJ): MODULE_CFLAGS += -fno-builtin -fvisibility=default
# no sanitizer in code that runs between the program's own instructions or stands in for the allocator
$(STUBS_OBJ) $(START_OBJ) $(MIXED_OBJ) $(ALLOCATOR_OBJ): CFLAGS := -O2 -g
# between any two instructions of a program: no vector registers
$(call objects_of,runtime/check/entry): MODULE_CFLAGS += -mgeneral-regs-only -fno-stack-protector
$(call objects_of,runtime/check/entry): CFLAGS := -O2 -g

$(BUILD)/librefrain-stubs.a: $(STUBS_OBJ)
$(BUILD)/librefrain-barrier.a: $(START_OBJ)
$(BUILD)/librefrain-mixed.a: $(MIXED_OBJ)
$(BUILD)/librefrain-malloc.a: $(ALLOCATOR_OBJ)
$(BARRIER_LIBS):
	@rm -f $@
	$(AR) qcs $@ $^

EXTRA_ALL += $(BARRIER_LIBS)
INSTALL_HOOKS += install-barrier
UNINSTALL_HOOKS += uninstall-barrier
.PHONY: install-barrier uninstall-barrier
install-barrier: $(BARRIER_LIBS) $(BUILD)/librefrain-rt.a
	install -d $(DESTDIR)$(LIBEXECDIR)
	install -m 644 $^ $(DESTDIR)$(LIBEXECDIR)/
uninstall-barrier:
	rm -f $(patsubst %,$(DESTDIR)$(LIBEXECDIR)/librefrain-%.a,stubs barrier mixed malloc rt)
