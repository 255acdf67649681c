# SPDX-License-Identifier: MIT
# What only refrain-cc links: the write barrier and wrapped writers, the allocator, and the runtime beside them.
BARRIER_OBJ := $(BUILD)/obj/runtime/check/barrier_stores.o $(BUILD)/obj/runtime/check/barrier_writers.o
ALLOCATOR_OBJ := $(BUILD)/obj/runtime/check/barrier_malloc.o
$(BARRIER_OBJ) $(ALLOCATOR_OBJ): MODULE_CFLAGS += -fno-builtin -fvisibility=default
# no sanitizer in code that replaces a sanitizer's interface and the allocator
$(BARRIER_OBJ) $(ALLOCATOR_OBJ): CFLAGS := -O2 -g

$(BUILD)/librefrain-barrier.a: $(BARRIER_OBJ)
	@rm -f $@
	$(AR) qcs $@ $^
$(BUILD)/librefrain-malloc.a: $(ALLOCATOR_OBJ)
	@rm -f $@
	$(AR) qcs $@ $^

EXTRA_ALL += $(BUILD)/librefrain-barrier.a $(BUILD)/librefrain-malloc.a
INSTALL_HOOKS += install-barrier
UNINSTALL_HOOKS += uninstall-barrier
.PHONY: install-barrier uninstall-barrier
install-barrier: $(BUILD)/librefrain-barrier.a $(BUILD)/librefrain-malloc.a $(BUILD)/librefrain-rt.a
	install -d $(DESTDIR)$(LIBEXECDIR)
	install -m 644 $^ $(DESTDIR)$(LIBEXECDIR)/
uninstall-barrier:
	rm -f $(DESTDIR)$(LIBEXECDIR)/librefrain-barrier.a $(DESTDIR)$(LIBEXECDIR)/librefrain-malloc.a $(DESTDIR)$(LIBEXECDIR)/librefrain-rt.a
