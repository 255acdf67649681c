# SPDX-License-Identifier: MIT
# The report's page is self-contained: uPlot and our own style and script are compiled into the program.
UPLOT_DIST ?= deps/node_modules/uplot/dist
REPORT_ASSETS := $(UPLOT_DIST)/uPlot.iife.min.js $(UPLOT_DIST)/uPlot.min.css src/report/report.js src/report/report.css

$(call objects_of,src/report/assets): ALL_CFLAGS += -DUPLOT_DIST='"$(UPLOT_DIST)"'
$(filter %.o,$(call objects_of,src/report/assets)): $(REPORT_ASSETS) src/report/module.mk
