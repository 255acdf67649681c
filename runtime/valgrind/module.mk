# SPDX-License-Identifier: GPL-2.0-or-later
# The Valgrind tools rfcount and rfsets, rflookup, which measures memo tables, and rfsample, which says where a program spends its time; built against Debian's valgrind package (headers and static core libraries).
# They go to $(BUILD)/libexec with what Valgrind's core looks for beside a tool. They exist for x86-64
# only; there without the package, and on other machines, they are left out, and make says so.

VG_INCLUDE ?= /usr/include/valgrind
VG_LIB ?= $(firstword $(wildcard /usr/lib/$(MACHINE)-linux-gnu/valgrind /usr/lib/valgrind))
VG_LIBEXEC ?= $(firstword $(wildcard /usr/libexec/valgrind /usr/lib/$(MACHINE)-linux-gnu/valgrind))
VG_CORE := $(if $(filter x86_64,$(MACHINE)),$(wildcard $(VG_LIB)/libcoregrind-amd64-linux.a))
VG_PLATFORM := amd64-linux

VG_SHARED := tool_main out budget functions threads world instrument stop window children
VG_COUNT_SRC := $(patsubst %,runtime/valgrind/%.c,$(VG_SHARED) count_main record)
VG_SETS_SRC := $(patsubst %,runtime/valgrind/%.c,$(VG_SHARED) $(addprefix sets/,main log digest dump rows shape list shadow blocks canon globals tls heap text seen errno hidden flatten))
vg_obj = $(patsubst runtime/valgrind/%.c,$(BUILD)/obj/valgrind/%.o,$(1))
# whatever the flags of our own code (sanitizers cannot work inside a tool)
VG_CFLAGS := -std=gnu11 -O3 -flto -g -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror) -m64 -fomit-frame-pointer \
  -fno-stack-protector -fno-strict-aliasing -fno-builtin -fno-pie -fno-PIC -ffreestanding -ffile-prefix-map=$(CURDIR)=. \
  -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 -DRF_VERSION='"$(VERSION)"' \
  -isystem $(VG_INCLUDE) -Isrc -Iruntime/valgrind
VG_LDFLAGS := -m64 -O3 -flto -static -no-pie -nodefaultlibs -nostartfiles -u _start -Wl,-Ttext-segment=0x58000000 -Wl,--build-id=none

ifneq ($(VG_CORE),)
VG_FILES := $(patsubst %,$(BUILD)/libexec/%,rfcount-$(VG_PLATFORM) rfsets-$(VG_PLATFORM) rflaunch vgpreload_rfsets-$(VG_PLATFORM).so \
  vgpreload_core-$(VG_PLATFORM).so default.supp rflookup rfsample)
EXTRA_ALL += $(VG_FILES)
INSTALL_HOOKS += install-valgrind
UNINSTALL_HOOKS += uninstall-valgrind
else
EXTRA_ALL += no-valgrind-tools
.PHONY: no-valgrind-tools
no-valgrind-tools:
	@echo "Valgrind tools left out: $(if $(filter x86_64,$(MACHINE)),Debian's package valgrind is missing,they exist for x86-64 only)"
endif

$(BUILD)/obj/valgrind/%.o: runtime/valgrind/%.c runtime/valgrind/module.mk
	@mkdir -p $(@D)
	gcc $(VG_CFLAGS) -MMD -MP -c $< -o $@

define vg_link
	@mkdir -p $(@D)
	gcc $(VG_LDFLAGS) -o $@ $^ $(VG_LIB)/libcoregrind-$(VG_PLATFORM).a $(VG_LIB)/libvex-$(VG_PLATFORM).a -lgcc
endef

$(BUILD)/libexec/rfcount-$(VG_PLATFORM): $(call vg_obj,$(VG_COUNT_SRC))
	$(vg_link)
$(BUILD)/libexec/rfsets-$(VG_PLATFORM): $(call vg_obj,$(VG_SETS_SRC))
	$(vg_link)
$(BUILD)/libexec/rflaunch: runtime/valgrind/launch.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra $(if $(WERROR),-Werror) -o $@ $<
$(BUILD)/libexec/vgpreload_rfsets-$(VG_PLATFORM).so: $(VG_LIB)/libreplacemalloc_toolpreload-$(VG_PLATFORM).a
	@mkdir -p $(@D)
	gcc -m64 -nodefaultlibs -shared -fPIC -Wl,-z,interpose,-z,initfirst -Wl,-soname,$(@F).0 -o $@ \
	  -Wl,--whole-archive $< -Wl,--no-whole-archive
$(BUILD)/libexec/vgpreload_core-$(VG_PLATFORM).so $(BUILD)/libexec/default.supp: $(BUILD)/libexec/%: $(VG_LIBEXEC)/%
	@mkdir -p $(@D)
	cp $< $@

# what a look-up costs: measured with the library that a suggested cache uses
$(BUILD)/libexec/rflookup: runtime/cost/lookup.c $(BUILD)/librefrain-rt.a include/refrain/memo.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -Iinclude $< $(LDFLAGS) $(BUILD)/librefrain-rt.a -pthread -Wl,-z,now -o $@

# where the program spends its time
$(BUILD)/libexec/rfsample: runtime/cost/sample.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 $< $(LDFLAGS) -o $@

.PHONY: install-valgrind uninstall-valgrind
install-valgrind:
	install -d $(DESTDIR)$(LIBEXECDIR)
	install -m 755 $(VG_FILES) $(DESTDIR)$(LIBEXECDIR)/
uninstall-valgrind:
	rm -f $(patsubst $(BUILD)/libexec/%,$(DESTDIR)$(LIBEXECDIR)/%,$(VG_FILES))

-include $(patsubst %.o,%.d,$(call vg_obj,$(VG_COUNT_SRC) $(VG_SETS_SRC)))
