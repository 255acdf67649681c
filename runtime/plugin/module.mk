# SPDX-License-Identifier: MIT
# The write barrier as plugins of gcc and clang, named for the compiler's version, which refrain-cc asks for. Each is built
# where that compiler and its headers are (Debian: gcc-12-plugin-dev, llvm-14-dev); refrain-cc refuses to compile without.
CXX ?= g++
PLUGIN_GCC ?= $(if $(findstring gcc,$(CC)),$(if $(CROSS),gcc,$(CC)),gcc)
GCC_HEADERS := $(shell $(PLUGIN_GCC) -print-file-name=plugin 2> /dev/null)/include
GCC_MAJOR := $(firstword $(subst ., ,$(shell $(PLUGIN_GCC) -dumpversion 2> /dev/null)))
CLANG_MAJOR := $(firstword $(subst ., ,$(shell $(CLANG) -dumpversion 2> /dev/null)))
LLVM_HEADERS := $(shell llvm-config-$(CLANG_MAJOR) --includedir 2> /dev/null)
ifneq ($(wildcard $(GCC_HEADERS)/gcc-plugin.h),)
PLUGINS += $(BUILD)/refrain-barrier-gcc-$(GCC_MAJOR).so
endif
ifneq ($(wildcard $(LLVM_HEADERS)/llvm/Passes/PassPlugin.h),)
PLUGINS += $(BUILD)/refrain-barrier-clang-$(CLANG_MAJOR).so
endif

PLUGIN_CXXFLAGS := -std=c++17 -O2 -fPIC -shared -fno-rtti -fno-exceptions -I. -Wall $(if $(WERROR),-Werror)
PLUGIN_HEADERS := runtime/check/inside/calls.h runtime/check/inside/store_test.h runtime/check/inside/watch_map.h
$(BUILD)/refrain-barrier-gcc-%.so: runtime/plugin/gcc.cc $(PLUGIN_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(PLUGIN_CXXFLAGS) -Wno-format-diag -isystem $(GCC_HEADERS) $< -o $@
$(BUILD)/refrain-barrier-clang-%.so: runtime/plugin/clang.cc $(PLUGIN_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(PLUGIN_CXXFLAGS) -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS -isystem $(LLVM_HEADERS) $< -o $@

EXTRA_ALL += $(PLUGINS)
INSTALL_HOOKS += install-plugins
UNINSTALL_HOOKS += uninstall-plugins
.PHONY: install-plugins uninstall-plugins
install-plugins: $(PLUGINS)
	install -d $(DESTDIR)$(LIBEXECDIR)
	$(if $(PLUGINS),install -m 755 $^ $(DESTDIR)$(LIBEXECDIR)/)
uninstall-plugins:
	rm -f $(DESTDIR)$(LIBEXECDIR)/refrain-barrier-*.so
