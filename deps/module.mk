# SPDX-License-Identifier: MIT
# tree-sitter and its grammars: third-party C, compiled once with their own flags and hidden symbols; and the tables
# that tie trees back to grammar rules, made from each grammar.json by deps/gen_grammar.c.

NPM := deps/node_modules
TS_LIB := $(NPM)/tree-sitter/vendor/tree-sitter/lib
THIRD_CFLAGS := -std=c11 -O1 -g0 -w -fPIC -fvisibility=hidden -DTREE_SITTER_HIDE_SYMBOLS -DTREE_SITTER_HIDDEN_SYMBOLS -D_GNU_SOURCE -DNDEBUG

# name:folder of each grammar. make LANGUAGES="c cpp" leaves the others out: their files are then read as lines and words.
GRAMMARS := \
  bash:tree-sitter-bash \
  c:tree-sitter-c \
  c_sharp:tree-sitter-c-sharp \
  cpp:tree-sitter-cpp \
  css:tree-sitter-css \
  glsl:tree-sitter-glsl \
  go:tree-sitter-go \
  haskell:tree-sitter-haskell \
  html:tree-sitter-html \
  java:tree-sitter-java \
  javascript:tree-sitter-javascript \
  json:tree-sitter-json \
  kotlin:@tree-sitter-grammars/tree-sitter-kotlin \
  llvm:tree-sitter-llvm \
  lua:@tree-sitter-grammars/tree-sitter-lua \
  ocaml:tree-sitter-ocaml/grammars/ocaml \
  php:tree-sitter-php/php \
  python:tree-sitter-python \
  ruby:tree-sitter-ruby \
  rust:tree-sitter-rust \
  scala:tree-sitter-scala \
  solidity:tree-sitter-solidity \
  sql:@derekstride/tree-sitter-sql \
  swift:tree-sitter-swift \
  tsx:tree-sitter-typescript/tsx \
  typescript:tree-sitter-typescript/typescript \
  verilog:tree-sitter-verilog \
  xml:@tree-sitter-grammars/tree-sitter-xml/xml \
  yaml:@tree-sitter-grammars/tree-sitter-yaml \
  zig:@tree-sitter-grammars/tree-sitter-zig
ALL_LANGUAGES := $(foreach g,$(GRAMMARS),$(firstword $(subst :, ,$(g))))
LANGUAGES ?= $(ALL_LANGUAGES)
ifneq ($(filter-out $(ALL_LANGUAGES),$(LANGUAGES)),)
$(error LANGUAGES: no such grammar: $(filter-out $(ALL_LANGUAGES),$(LANGUAGES)); there are $(ALL_LANGUAGES))
endif
GRAMMARS := $(foreach g,$(GRAMMARS),$(if $(filter $(firstword $(subst :, ,$(g))),$(LANGUAGES)),$(g)))

MODULE_CFLAGS += -isystem $(TS_LIB)/include

$(THIRD)/tree_sitter.o: $(TS_LIB)/src/lib.c
	@mkdir -p $(@D)
	$(CC) $(THIRD_CFLAGS) -I$(TS_LIB)/include -I$(TS_LIB)/src -c $< -o $@.$$$$ && mv $@.$$$$ $@
THIRD_OBJ += $(THIRD)/tree_sitter.o

$(BUILD)/gen/gen_grammar: deps/gen_grammar.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -D_GNU_SOURCE -O1 $(WARN) $< -o $@

$(THIRD)/pack_tables: deps/pack_tables.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -O1 $(WARN) $< -o $@ -lzstd

# $(1) name, $(2) folder
define grammar_rules
$(THIRD)/packed_$(1).o: $(NPM)/$(2)/src/parser.c deps/pack-grammar $(THIRD)/pack_tables
	@mkdir -p $$(@D)
	PACK=$(THIRD)/pack_tables LD=$(LD) OBJCOPY=$(OBJCOPY) sh deps/pack-grammar $(1) $$< $$@ $(CC) $(THIRD_CFLAGS) -I$(NPM)/$(2)/src
THIRD_OBJ += $(THIRD)/packed_$(1).o
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

# which grammars there are: another choice recompiles only the table
$(BUILD)/gen/grammars.h: FORCE
	@mkdir -p $(@D)
	@{ for n in $(LANGUAGES); do echo "#include \"rules_$$n.h\""; done; echo "#define GRAMMARS(X)$(foreach n,$(LANGUAGES), X($(n)))"; } > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(call objects_of,src/reduce/syntax/grammar_tables): $(GRAMMAR_TABLES) $(BUILD)/gen/grammars.h
# it fills in tables that tree-sitter keeps behind its public header
$(call objects_of,src/reduce/syntax/grammar_tables): MODULE_CFLAGS += -isystem $(TS_LIB)/src
