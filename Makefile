# SPDX-License-Identifier: MIT
# refrain: one plain, non-recursive Makefile.
#
#   make            the program build/refrain, both libraries, man pages, completions
#   make check      unit, command-line and corpus tests; ends with "N passed, N failed"
#   make asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make fuzz       each fuzz target for FUZZ_SECONDS (clang's libFuzzer)
#   make mutants    each tests/mutants/*.patch must turn the tests it names red
#   make bench      all benchmarks; make bench-NAME for one
#   make results    docs/RESULTS.md from the benchmarks (RESULTS=quick or full)
#   make install uninstall dist clean
#   make deb        Debian packages in build/deb; make deb-test uses them in fresh roots
#
# Every .c file below src is compiled; a module that needs more (libraries, generated files) has a module.mk beside its sources.

VERSION := 0.1.0
BUILD ?= build
# the same folder by another name is the same build
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/lib/refrain
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
DOCDIR ?= $(DATADIR)/doc/refrain
FUZZ_SECONDS ?= 60
TEST ?=

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
# A cross compiler (CC=aarch64-linux-gnu-gcc) has binutils of its own; HOSTCC compiles what the build itself runs, and RUN
# starts a program made for the other machine (RUN=qemu-aarch64-static). Without RUN, man pages and completions are not made.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
CROSS := $(if $(filter-out $(shell uname -m),$(MACHINE)),$(patsubst %gcc,%,$(filter %-gcc,$(CC))))
HOSTCC ?= $(if $(CROSS),cc,$(CC))
LD := $(CROSS)ld
AR := $(CROSS)ar
OBJCOPY := $(CROSS)objcopy
RUN ?=
# third-party parser sources are compiled once per machine, whatever the flags of our own code
THIRD ?= build/third$(if $(CROSS),-$(MACHINE))
CFLAGS ?= -O2 -g
# make WERROR=1 (CI, ./do test): a warning is an error
WERROR ?=
WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
# As Debian hardens its packages; HARDEN= switches it off. FORTIFY needs an optimising build without sanitizers.
HARDEN ?= 1
HARDEN_CFLAGS := $(if $(HARDEN),-fstack-protector-strong -fstack-clash-protection -Wformat -Werror=format-security)
HARDEN_CFLAGS += $(if $(HARDEN),$(if $(findstring -fsanitize,$(CFLAGS))$(findstring -O0,$(CFLAGS)),,-D_FORTIFY_SOURCE=2))
ifneq ($(HARDEN),)
HARDEN_LDFLAGS := -Wl,-z,relro -Wl,-z,now
endif
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DRF_VERSION='"$(VERSION)"' $(WARN) -fPIC -fvisibility=hidden -pthread \
             -I. -Isrc -Iinclude -I$(BUILD)/gen $(HARDEN_CFLAGS) $(MODULE_CFLAGS) $(CFLAGS)
# no path of the build machine in the result
ALL_CFLAGS += -ffile-prefix-map=$(CURDIR)=.
LIBS = -lxxhash -lcrypto -lz -lzstd -llzma -lsqlite3 -lhiredis -ldl -lm -pthread $(MODULE_LIBS)

# other names of the program (command_links in src/cmd/main.c); the first two take options that are completed
LINKS := refrain-reduce refrain-z3 refrain-cc
COMPLETED := refrain-reduce refrain-z3

SHARED := data process store farm stream cli
ENGINES := trace reduce smt profile check report
# the sources of a folder and of the folders in it
sources = $(wildcard $(1)/*.c $(1)/*/*.c)
BASE_SRC := $(call sources,src/base)
LIB_SRC := $(BASE_SRC) $(foreach d,$(SHARED) $(ENGINES),$(call sources,src/$(d)))
CMD_SRC := $(call sources,src/cmd)
# the run-time library: libc only, lives in other people's processes
RT_SRC := $(BASE_SRC) $(call sources,src/memo) $(call sources,runtime/keys) $(filter-out runtime/check/barrier/%,$(call sources,runtime/check))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
# everything that is compiled from one source (named without .c), for flags of its own
objects_of = $(foreach d,obj checked,$(BUILD)/$(d)/$(1).o) \
             $(foreach d,syntax portable/arm64 portable/musl,$(BUILD)/$(d)/$(1).ok)
LIB_OBJ := $(call obj,$(LIB_SRC))
CMD_OBJ := $(call obj,$(CMD_SRC))
RT_OBJ := $(call obj,$(RT_SRC))
# the program and the tests link both libraries' objects
ALL_OBJ := $(sort $(LIB_OBJ) $(RT_OBJ))

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRC))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(FUZZ_SRC))
REPLAY_BIN := $(patsubst %,$(BUILD)/tests/replay_%,$(FUZZ_NAMES))
ATTACK_BIN := $(patsubst tests/attack/%.c,$(BUILD)/attack/%,$(wildcard tests/attack/*.c))
CLI_TESTS := $(wildcard tests/cli/test_*.sh)

# what module.mk files add: THIRD_OBJ (third-party objects), MODULE_LIBS, MODULE_CFLAGS, EXTRA_ALL (targets of
# `all`), INSTALL_HOOKS and UNINSTALL_HOOKS (targets), BENCHES (bench-NAME targets)
THIRD_OBJ :=
EXTRA_ALL :=
INSTALL_HOOKS :=
UNINSTALL_HOOKS :=
BENCHES :=
MODULE_LIBS :=
MODULE_CFLAGS :=

.PHONY: all
all: $(BUILD)/refrain libs docs-generated extra-all

include $(sort $(wildcard src/*/module.mk runtime/*/module.mk bench/*/module.mk deps/module.mk))

.PHONY: extra-all libs docs-generated
extra-all: $(EXTRA_ALL)

# ---- objects

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# a change of compiler or flags rebuilds everything
.PHONY: FORCE
# (expanded here: a target's own additions would reach its prerequisites too; neither -Werror nor the name of this folder changes an object)
FLAGS := $(CC) $(filter-out -Werror -ffile-prefix-map=%,$(ALL_CFLAGS))
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
# the installation's prefix is known to one source, and another prefix recompiles only that
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(LIBEXECDIR)' | cmp -s - $@ || echo '$(LIBEXECDIR)' > $@
LIBEXEC_USERS := $(call objects_of,src/process/libexec)
$(filter %.o,$(LIBEXEC_USERS)): $(BUILD)/prefix
$(LIBEXEC_USERS): MODULE_CFLAGS += -DRF_LIBEXECDIR='"$(LIBEXECDIR)"'
# so does a source that came or went for the archives
$(BUILD)/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(ALL_OBJ) $(THIRD_OBJ)' | cmp -s - $@ || echo '$(ALL_OBJ) $(THIRD_OBJ)' > $@

# thin archives: lists of the objects, not copies
$(BUILD)/internal.a: $(ALL_OBJ) $(THIRD_OBJ) $(BUILD)/objects
	@rm -f $@
	$(AR) qcsT $@ $(filter %.o,$^)

# the same objects with INVARIANT() on: what unit tests and corpus replays link
$(BUILD)/checked/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DRF_INVARIANTS -MMD -MP -c $< -o $@
CHECKED_OBJ := $(patsubst $(BUILD)/obj/%,$(BUILD)/checked/%,$(ALL_OBJ))
$(BUILD)/checked.a: $(CHECKED_OBJ) $(THIRD_OBJ) $(BUILD)/objects
	@rm -f $@
	$(AR) qcsT $@ $(filter %.o,$^)

# moved into place whole: one may be running
$(BUILD)/refrain: $(CMD_OBJ) $(BUILD)/internal.a
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@.new $(CMD_OBJ) $(BUILD)/internal.a $(LIBS)
	@mv $@.new $@
	@for n in $(LINKS); do ln -sf refrain $(BUILD)/$$n; done

# ---- libraries: only rf_* is visible, in the static archives too

libs: $(BUILD)/librefrain.a $(BUILD)/librefrain.so $(BUILD)/librefrain-rt.a $(BUILD)/librefrain-rt.so \
      $(BUILD)/refrain.pc $(BUILD)/refrain-rt.pc

define one_object_archive
	$(LD) -r -o $(BUILD)/$(1).o $(2)
	$(OBJCOPY) --localize-hidden $(BUILD)/$(1).o
	@rm -f $@
	$(AR) qcs $@ $(BUILD)/$(1).o
endef

$(BUILD)/librefrain.a: $(LIB_OBJ) $(THIRD_OBJ) $(BUILD)/objects
	$(call one_object_archive,librefrain,$(filter %.o,$^))
$(BUILD)/librefrain.so: $(LIB_OBJ) $(THIRD_OBJ) $(BUILD)/objects
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,librefrain.so.0 -o $@ $(filter %.o,$^) $(LIBS)
$(BUILD)/librefrain-rt.a: $(RT_OBJ) $(BUILD)/objects
	$(call one_object_archive,librefrain-rt,$(filter %.o,$^))
$(BUILD)/librefrain-rt.so: $(RT_OBJ) $(BUILD)/objects
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,librefrain-rt.so.0 -o $@ $(filter %.o,$^) -pthread

# ${prefix}/lib rather than /usr/local/lib, so that an installation can be moved
from_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
$(BUILD)/%.pc: docs/%.pc.in Makefile $(BUILD)/prefix
	@mkdir -p $(@D)
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(call from_prefix,$(LIBDIR))|g' \
	    -e 's|@INCLUDEDIR@|$(call from_prefix,$(INCLUDEDIR))|g' -e 's|@VERSION@|$(VERSION)|g' -e 's|@LIBS@|$(LIBS)|g' $< > $@

# ---- man pages and completions come from the option tables

docs-generated: $(if $(CROSS),$(if $(RUN),$(BUILD)/man/.done),$(BUILD)/man/.done)
$(BUILD)/man/.done: $(BUILD)/refrain
	@mkdir -p $(BUILD)/man $(BUILD)/completion
	$(RUN) $(BUILD)/refrain help --man=$(BUILD)/man
	$(RUN) $(BUILD)/refrain help --completion=bash > $(BUILD)/completion/refrain.bash
	$(RUN) $(BUILD)/refrain help --completion=zsh > $(BUILD)/completion/_refrain
	@touch $@

# ---- tests

$(BUILD)/tests/test_%: tests/unit/test_%.c $(BUILD)/checked.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests/unit -DRF_INVARIANTS -MMD -MP -MF $@.d $< -o $@ $(LDFLAGS) $(BUILD)/checked.a $(LIBS) -lcmocka

$(BUILD)/tests/replay_%: tests/fuzz/%.c tests/fuzz/replay.c $(BUILD)/checked.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -DRF_INVARIANTS -MMD -MP -MF $@.d $< tests/fuzz/replay.c -o $@ $(LDFLAGS) $(BUILD)/checked.a $(LIBS)

# what an attack needs beside the shell: oracles and generators that are no part of the program
$(BUILD)/attack/%: tests/attack/%.c $(BUILD)/checked.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DRF_INVARIANTS -MMD -MP -MF $@.d $< -o $@ $(LDFLAGS) $(BUILD)/checked.a $(LIBS)

.PHONY: check tests-built asan fuzz mutants attack bench
tests-built: all $(UNIT_BIN) $(REPLAY_BIN) $(ATTACK_BIN)

# TEST=pattern runs only the tests whose name has it
check: tests-built
	@BUILD='$(BUILD)' sh tests/run '$(TEST)'

# what clang says of every source, nothing written: part of the tests
SYNTAX_SRC := $(sort $(LIB_SRC) $(RT_SRC) $(CMD_SRC))
SYNTAX := $(patsubst %.c,$(BUILD)/syntax/%.ok,$(SYNTAX_SRC))
.PHONY: clang-syntax
clang-syntax: $(SYNTAX)
$(BUILD)/syntax/%.ok: %.c $(BUILD)/obj/%.o
	@mkdir -p $(@D)
	$(CLANG) $(ALL_CFLAGS) -fsyntax-only $<
	@touch $@

# The same with Debian's compilers for arm64 and for musl. Headers of libraries and of the kernel are reached through
# links, so that nothing of this machine's C library is seen. Not with musl: the barrier and its allocator stand in for
# parts of glibc, and --keep needs regexec's REG_STARTEND.
PORTABLE_HEADERS := asm asm-generic linux curl dwarf.h elfutils gelf.h hiredis libelf.h lzma lzma.h openssl sqlite3.h xxhash.h zconf.h zlib.h zstd.h $(notdir $(wildcard /usr/include/z3*.h))
PORTABLE_INCLUDE := -idirafter $(BUILD)/portable/include -idirafter $(BUILD)/portable/include/machine
PORTABLE_CC_arm64 ?= aarch64-linux-gnu-gcc
PORTABLE_CC_musl ?= musl-gcc
ARM64 := $(patsubst %.c,$(BUILD)/portable/arm64/%.ok,$(SYNTAX_SRC) $(wildcard runtime/check/barrier/*.c))
MUSL := $(patsubst %.c,$(BUILD)/portable/musl/%.ok,$(filter-out src/reduce/run/ask.c,$(SYNTAX_SRC)))
.PHONY: arm64-syntax musl-syntax
arm64-syntax: $(ARM64)
musl-syntax: $(MUSL)
$(BUILD)/portable/include: Makefile
	@rm -rf $@ && mkdir -p $@/machine
	@for h in $(PORTABLE_HEADERS); do for d in . machine; do \
	  from=/usr/include/$$([ $$d = . ] || $(HOSTCC) -print-multiarch)/$$h; [ ! -e $$from ] || ln -s $$from $@/$$d/$$h; done; done
define portable_rule
$(BUILD)/portable/$(1)/%.ok: %.c $(BUILD)/obj/%.o | $(BUILD)/portable/include
	@mkdir -p $$(@D)
	$(PORTABLE_CC_$(1)) $$(filter-out -fsanitize% -fno-sanitize%,$$(ALL_CFLAGS)) $(PORTABLE_INCLUDE) -fsyntax-only $$<
	@touch $$@
endef
$(eval $(call portable_rule,arm64))
$(eval $(call portable_rule,musl))

SAN_FLAGS := -O1 -g -DRF_INVARIANTS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
asan:
	$(MAKE) BUILD=build/asan CFLAGS='$(SAN_FLAGS)' LDFLAGS='-fsanitize=address,undefined' check

# every fuzz target once more with clang, its own corpus merged into the kept one only by hand
FUZZ_FLAGS := -O1 -g -DRF_INVARIANTS -DRF_FUZZING -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_LIB := build/fuzz/internal.a
ifneq ($(FUZZING),)
build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/internal.a
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -fsanitize=fuzzer $< -o $@ $(BUILD)/internal.a $(LIBS)
fuzz-bins: $(patsubst %,build/fuzz/%,$(FUZZ_NAMES))
endif
fuzz:
	$(MAKE) FUZZING=1 BUILD=build/fuzz CC=$(CLANG) CFLAGS='$(FUZZ_FLAGS)' LDFLAGS='-fsanitize=address,undefined' fuzz-bins
	@FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run $(if $(TEST),$(TEST),$(FUZZ_NAMES))

mutants: tests-built
	@BUILD='$(BUILD)' sh tests/mutants/run $(TEST)

# each engine against something we did not write; a few seconds of each are part of the tests
ATTACK_SECONDS ?= 300
attack: tests-built
	@ATTACK_SECONDS=$(ATTACK_SECONDS) TEST_SECONDS=$$(($(ATTACK_SECONDS) * 2 + 300)) BUILD='$(BUILD)' sh tests/run '^attack-$(TEST)'

bench: all $(BENCHES)

# docs/RESULTS.md: what the benchmarks print on this machine (RESULTS=quick: ten minutes; RESULTS=full)
.PHONY: results
results: all $(BUILD)/bench/paper $(BUILD)/bench/paired $(BUILD)/bench/memo_bench
	@BUILD='$(BUILD)' sh bench/results/run

# ---- installing

.PHONY: install uninstall dist clean distclean
install: all $(INSTALL_HOOKS)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/refrain $(DESTDIR)$(MANDIR)/man1 \
	  $(DESTDIR)$(DATADIR)/bash-completion/completions $(DESTDIR)$(DATADIR)/zsh/site-functions $(DESTDIR)$(DOCDIR)
	install -m 755 $(BUILD)/refrain $(DESTDIR)$(BINDIR)/refrain
	for n in $(LINKS); do ln -sf refrain $(DESTDIR)$(BINDIR)/$$n; done
	for l in librefrain librefrain-rt; do \
	  install -m 644 $(BUILD)/$$l.a $(DESTDIR)$(LIBDIR)/ && \
	  install -m 755 $(BUILD)/$$l.so $(DESTDIR)$(LIBDIR)/$$l.so.0 && \
	  ln -sf $$l.so.0 $(DESTDIR)$(LIBDIR)/$$l.so || exit 1; done
	install -m 644 $(BUILD)/refrain.pc $(BUILD)/refrain-rt.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 include/refrain/*.h $(DESTDIR)$(INCLUDEDIR)/refrain/
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(MANDIR)/man1/
	install -m 644 $(BUILD)/completion/refrain.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/refrain
	for n in $(COMPLETED); do ln -sf refrain $(DESTDIR)$(DATADIR)/bash-completion/completions/$$n; done
	install -m 644 $(BUILD)/completion/_refrain $(DESTDIR)$(DATADIR)/zsh/site-functions/_refrain
	install -m 644 LICENSE NOTICES $(DESTDIR)$(DOCDIR)/

uninstall: $(UNINSTALL_HOOKS)
	rm -f $(patsubst %,$(DESTDIR)$(BINDIR)/%,refrain $(LINKS)) $(patsubst %,$(DESTDIR)$(DATADIR)/bash-completion/completions/%,$(COMPLETED))
	rm -f $(DESTDIR)$(LIBDIR)/librefrain.* $(DESTDIR)$(LIBDIR)/librefrain-rt.* $(DESTDIR)$(LIBDIR)/pkgconfig/refrain.pc $(DESTDIR)$(LIBDIR)/pkgconfig/refrain-rt.pc
	rm -rf $(DESTDIR)$(INCLUDEDIR)/refrain $(DESTDIR)$(DOCDIR)
	rm -f $(DESTDIR)$(MANDIR)/man1/refrain.1 $(DESTDIR)$(MANDIR)/man1/refrain-*.1
	rm -f $(DESTDIR)$(DATADIR)/bash-completion/completions/refrain $(DESTDIR)$(DATADIR)/zsh/site-functions/_refrain

dist: all
	BUILD='$(BUILD)' VERSION='$(VERSION)' sh deps/make-dist

# Debian packages in $(BUILD)/deb (debhelper); deb-test, as root, uses them in fresh Debian roots
.PHONY: deb deb-test
deb: dist
	BUILD='$(BUILD)' VERSION='$(VERSION)' sh packaging/make-deb
deb-test:
	BUILD='$(BUILD)' VERSION='$(VERSION)' sh packaging/test-deb

clean:
	rm -rf $(BUILD)/obj $(BUILD)/checked $(BUILD)/tests $(BUILD)/syntax $(BUILD)/portable $(BUILD)/man $(BUILD)/completion $(BUILD)/gen $(BUILD)/*.a $(BUILD)/*.so $(BUILD)/*.o $(BUILD)/*.pc \
	  $(BUILD)/refrain $(BUILD)/refrain-* $(BUILD)/asan $(BUILD)/fuzz $(BUILD)/flags $(BUILD)/prefix
distclean:
	rm -rf build deps/node_modules

-include $(ALL_OBJ:.o=.d) $(CHECKED_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(wildcard $(BUILD)/tests/*.d $(BUILD)/attack/*.d)
