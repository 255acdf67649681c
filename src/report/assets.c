/* SPDX-License-Identifier: MIT */
/* Puts whole files into the read-only data of the program: see assets.h. The assembler reads them (.incbin), so nothing
 * is converted or looked up at run time; module.mk says which files this object depends on. */
#include "report/assets.h"

#define ASSET(name, path)                                                                                              \
	__asm__(".pushsection .rodata\n"                                                                               \
		".hidden rf_asset_" #name "\n.global rf_asset_" #name "\nrf_asset_" #name ":\n"                        \
		".incbin \"" path "\"\n"                                                                               \
		".hidden rf_asset_end_" #name "\n.global rf_asset_end_" #name "\nrf_asset_end_" #name ":\n"            \
		".byte 0\n.popsection\n");                                                                             \
	extern const char rf_asset_##name[] __attribute__((visibility("hidden")));                                     \
	extern const char rf_asset_end_##name[] __attribute__((visibility("hidden")));                                 \
	struct asset asset_##name(void)                                                                                \
	{                                                                                                              \
		return (struct asset){rf_asset_##name, (size_t)(rf_asset_end_##name - rf_asset_##name)};               \
	}

ASSET(uplot_js, UPLOT_DIST "/uPlot.iife.min.js")
ASSET(uplot_css, UPLOT_DIST "/uPlot.min.css")
ASSET(report_js, "src/report/report.js")
ASSET(report_css, "src/report/report.css")
