# SPDX-License-Identifier: MIT
# tree-sitter and its grammars: third-party C, compiled once with their own flags and hidden symbols; and the tables
# that tie trees back to grammar rules, made from each grammar.json by deps/gen_grammar.c.

NPM := deps/node_modules
TS_LIB := $(NPM)/tree-sitter/vendor/tree-sitter/lib
THIRD_CFLAGS := -std=c11 -O2 -g0 -w -fPIC -fvisibility=hidden -DTREE_SITTER_HIDE_SYMBOLS -DTREE_SITTER_HIDDEN_SYMBOLS -D_GNU_SOURCE -DNDEBUG

# name:folder of each grammar
GRAMMARS := \
  c:tree-sitter-c \
  cpp:tree-sitter-cpp \
  go:tree-sitter-go \
  java:tree-sitter-java \
  javascript:tree-sitter-javascript \
  json:tree-sitter-json \
  python:tree-sitter-python \
  rust:tree-sitter-rust \
  sql:@derekstride/tree-sitter-sql \
  tsx:tree-sitter-typescript/tsx \
  typescript:tree-sitter-typescript/typescript

MODULE_CFLAGS += -isystem $(TS_LIB)/include

$(THIRD)/tree_sitter.o: $(TS_LIB)/src/lib.c
	@mkdir -p $(@D)
	$(CC) $(THIRD_CFLAGS) -I$(TS_LIB)/include -I$(TS_LIB)/src -c $< -o $@.$$$$ && mv $@.$$$$ $@
THIRD_OBJ += $(THIRD)/tree_sitter.o

$(BUILD)/gen/gen_grammar: deps/gen_grammar.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -D_GNU_SOURCE -O1 $(WARN) $< -o $@

# $(1) name, $(2) folder
define grammar_rules
$(THIRD)/grammar_$(1).o: $(NPM)/$(2)/src/parser.c
	@mkdir -p $$(@D)
	$(CC) $(THIRD_CFLAGS) -I$(NPM)/$(2)/src -c $$< -o $$@.$$$$$$$$ && mv $$@.$$$$$$$$ $$@
THIRD_OBJ += $(THIRD)/grammar_$(1).o
ifneq ($(wildcard $(NPM)/$(2)/src/scanner.c),)
$(THIRD)/scanner_$(1).o: $(NPM)/$(2)/src/scanner.c
	@mkdir -p $$(@D)
	$(CC) $(THIRD_CFLAGS) -I$(NPM)/$(2)/src -c $$< -o $$@.$$$$$$$$ && mv $$@.$$$$$$$$ $$@
THIRD_OBJ += $(THIRD)/scanner_$(1).o
endif
$(BUILD)/gen/rules_$(1).h: $(NPM)/$(2)/src/grammar.json $(BUILD)/gen/gen_grammar
	$(BUILD)/gen/gen_grammar $(1) $$< $$@
GRAMMAR_TABLES += $(BUILD)/gen/rules_$(1).h
endef
GRAMMAR_TABLES :=
$(foreach g,$(GRAMMARS),$(eval $(call grammar_rules,$(firstword $(subst :, ,$(g))),$(lastword $(subst :, ,$(g))))))

$(call objects_of,src/reduce/syntax/grammar_tables): $(GRAMMAR_TABLES)
