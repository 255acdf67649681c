/* SPDX-License-Identifier: MIT */
/* The languages that have a declaration graph: see unit_rules.h. */
#include "reduce/model/unit_rules.h"

static const struct node_class c_classes[] = {
	{LIST, "translation_unit declaration_list field_declaration_list"},
	{WRAP, "template_declaration linkage_specification friend_declaration"},
	{SPECIFIER, "class_specifier struct_specifier union_specifier enum_specifier"},
	{NAMED, "alias_declaration concept_definition namespace_alias_definition"},
	{USING, "using_declaration"},
	{DECLARATION, "declaration function_definition field_declaration type_definition"},
	{NAMESPACE, "namespace_definition"},
	{TYPE, "primitive_type sized_type_specifier placeholder_type_specifier dependent_type decltype"},
	{IDENTIFIER, "identifier field_identifier type_identifier namespace_identifier"},
	{DECLARATOR, "function_declarator pointer_declarator reference_declarator array_declarator init_declarator "
		     "parenthesized_declarator variadic_declarator attributed_declarator"},
	{OPERATOR, "operator_name operator_cast"},
	{DESTRUCTOR, "destructor_name"},
	{QUALIFIED, "qualified_identifier template_function template_method template_type"},
	{PARAMETERS, "template_parameter_list parameter_list template_argument_list"},
	{BODY, "compound_statement"},
	{INITIALISERS, "field_initializer_list"},
	{PART, "base_class_clause noexcept"},
	{DEFAULTED, "optional_parameter_declaration optional_type_parameter_declaration"},
	{ENUMERATOR, "enumerator"},
	{LABEL, "access_specifier preproc_include"},
	{CONDITIONAL, "preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef"},
	{MACRO, "preproc_def preproc_function_def"},
	{EXPRESSION, "binary_expression unary_expression assignment_expression update_expression pointer_expression "
		     "subscript_expression subscript_argument_list field_expression"},
};

static const struct node_class python_classes[] = {
	{LIST, "module"},
	{MEMBERS, "block"},
	{WRAP, "decorated_definition"},
	{SPECIFIER, "class_definition"},
	{NAMED, "function_definition"},
	{IMPORT, "import_statement import_from_statement"},
	{ASSIGNING, "expression_statement"},
	{ASSIGNMENT, "assignment"},
	{PATTERN, "pattern_list tuple_pattern list_pattern"},
	{MEMBER, "attribute"},
	{IDENTIFIER, "identifier"},
};

static const struct node_class js_classes[] = {
	{LIST, "program class_body"},
	{WRAP, "export_statement ambient_declaration"},
	{SPECIFIER, "class_declaration abstract_class_declaration"},
	{NAMED, "function_declaration generator_function_declaration method_definition field_definition "
		"public_field_definition method_signature abstract_method_signature interface_declaration "
		"type_alias_declaration enum_declaration function_signature internal_module"},
	{IMPORT, "import_statement"},
	{ASSIGNING, "expression_statement lexical_declaration variable_declaration"},
	{ASSIGNMENT, "assignment_expression variable_declarator"},
	{PATTERN, "array_pattern object_pattern"},
	{MEMBER, "member_expression"},
	{IDENTIFIER, "identifier property_identifier private_property_identifier type_identifier "
		     "shorthand_property_identifier_pattern"},
	{BODY, "statement_block"},
};

static const struct node_class rust_classes[] = {
	{LIST, "source_file declaration_list"},
	{WRAP, "foreign_mod_item"},
	{SPECIFIER, "trait_item enum_item"},
	{METHOD, "function_item function_signature_item struct_item union_item type_item const_item static_item "
		 "associated_type macro_definition extern_crate_declaration"},
	{EXTENSION, "impl_item"},
	{IMPORT, "use_declaration"},
	{MODULE, "mod_item"},
	{IDENTIFIER, "identifier type_identifier"},
	{QUALIFIED, "generic_type scoped_type_identifier"},
	{BODY, "block"},
	{ENUMERATOR, "enum_variant"},
	{LABEL, "inner_attribute_item"},
	{PREFIX, "attribute_item"},
};

static const struct node_class go_classes[] = {
	{LIST, "source_file import_spec_list var_spec_list"},
	{WRAP, "import_declaration var_declaration"},
	{METHOD, "function_declaration method_declaration"},
	{PATH_IMPORT, "import_spec"},
	{ASSIGNING, "const_declaration type_declaration"},
	{ASSIGNMENT, "const_spec var_spec type_spec type_alias"},
	{IDENTIFIER, "identifier field_identifier type_identifier package_identifier"},
	{BODY, "block"},
	{LABEL, "package_clause"},
};

static const struct node_class java_classes[] = {
	{LIST, "program interface_body annotation_type_body enum_body_declarations"},
	{MEMBERS, "class_body"},
	{SPECIFIER, "class_declaration interface_declaration enum_declaration record_declaration "
		    "annotation_type_declaration"},
	{METHOD, "method_declaration constructor_declaration compact_constructor_declaration "
		 "annotation_type_element_declaration"},
	{USING, "import_declaration"},
	{ASSIGNING, "field_declaration constant_declaration"},
	{ASSIGNMENT, "variable_declarator"},
	{IDENTIFIER, "identifier"},
	{BODY, "block constructor_body"},
	{ENUMERATOR, "enum_constant"},
	{LABEL, "package_declaration"},
};

static const struct node_class csharp_classes[] = {
	{LIST, "compilation_unit declaration_list"},
	{WRAP, "field_declaration event_field_declaration"},
	{SPECIFIER, "class_declaration struct_declaration interface_declaration enum_declaration record_declaration"},
	{TYPED, "method_declaration constructor_declaration property_declaration delegate_declaration "
		"event_declaration"},
	{ASSIGNING, "variable_declaration"},
	{ASSIGNMENT, "variable_declarator"},
	{NAMESPACE, "namespace_declaration"},
	{IDENTIFIER, "identifier"},
	{BODY, "block"},
	{ENUMERATOR, "enum_member_declaration"},
	{LABEL, "using_directive extern_alias_directive file_scoped_namespace_declaration global_statement "
		"global_attribute"},
};

static const struct node_class llvm_classes[] = {
	{LIST, "module"},
	{WRAP, "fn_define declare"},
	{METHOD, "function_header global_type global_global alias ifunc global_metadata unnamed_attr_grp"},
	{IDENTIFIER, "global_var local_var metadata_ref metadata_name attr_ref"},
	{BODY, "function_body"},
	{LABEL, "target_definition source_file_name module_asm"},
};

#define RULES(classes) classes, sizeof classes / sizeof *classes

static const struct unit_rules unit_rules[] = {
	{LANG_C, RULES(c_classes), ";", false, false, false},
	{LANG_CPP, RULES(c_classes), ";", false, false, false},
	{LANG_PYTHON, RULES(python_classes), NULL, true, true, false},
	{LANG_JAVASCRIPT, RULES(js_classes), "{}", true, false, false},
	{LANG_TYPESCRIPT, RULES(js_classes), "{}", true, false, false},
	{LANG_TSX, RULES(js_classes), "{}", true, false, false},
	{LANG_RUST, RULES(rust_classes), "{loop{}}", false, false, false},
	{LANG_GO, RULES(go_classes), "{panic(0)}", false, false, false},
	{LANG_JAVA, RULES(java_classes), "{throw null;}", false, false, false},
	{LANG_CSHARP, RULES(csharp_classes), "{throw null;}", false, false, false},
	{LANG_LLVM, RULES(llvm_classes), "{unreachable}", false, false, true},
};

const struct unit_rules *unit_rules_of(enum language_id language)
{
	for (size_t i = 0; i < sizeof unit_rules / sizeof *unit_rules; i++)
		if (unit_rules[i].language == language)
			return &unit_rules[i];
	return NULL;
}
