//! Where functions and types begin and end, by the grammar of a file's language.

use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, Parser, TreeCursor};

use super::walk::Stop;

/// Longer texts are not parsed; lines around a match do for them.
const MAX_PARSED_BYTES: usize = 600_000;

/// A function, type or container of such, in lines counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// With the comments and attributes right above.
    pub start: usize,
    /// Where the definition itself begins.
    pub head: usize,
    /// Included.
    pub end: usize,
    /// Empty when it has none.
    pub name: String,
    /// Holds others (a class, an `impl`).
    pub container: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Leaf,
    Container,
    /// Belongs to the definition inside: decorators, `export`, `template`.
    Wrapper,
    Other,
}

/// The grammar of a language by its name; `None` when there is none.
fn language_of(name: &str) -> Option<Language> {
    Some(match name {
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        _ => return None,
    })
}

/// The definitions of a text in order of their lines, or `None`: no grammar, too long, or stopped.
///
/// Definitions inside a function belong to it. A text with errors in it gives what can be made out.
pub(super) fn units(text: &str, language: &str, stop: &Stop<'_>) -> Option<Vec<Unit>> {
    if text.len() > MAX_PARSED_BYTES {
        return None;
    }
    // A header may be of either; only C++ knows these words.
    let is_cpp =
        language == "c" && ["class ", "namespace ", "template"].iter().any(|word| text.contains(word));
    let language = if is_cpp { "cpp" } else { language };
    let mut parser = Parser::new();
    parser.set_language(&language_of(language)?).ok()?;
    let mut go_on = |_: &tree_sitter::ParseState| match stop.cause() {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    };
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut go_on)),
    )?;
    let lines: Vec<&str> = text.lines().collect();
    let mut units = Vec::new();
    visit(&mut tree.walk(), text, &lines, &mut units);
    units.sort_by_key(|unit: &Unit| (unit.start, std::cmp::Reverse(unit.end)));
    Some(units)
}

/// Goes through the tree without recursion: a text may nest thousands deep.
fn visit(cursor: &mut TreeCursor<'_>, text: &str, lines: &[&str], units: &mut Vec<Unit>) {
    // The first line of the wrappers around the current node, by depth.
    let mut wrappers: Vec<(u32, usize)> = Vec::new();
    loop {
        let node = cursor.node();
        let depth = cursor.depth();
        wrappers.retain(|(at, _)| *at < depth);
        let role = role(&node);
        if matches!(role, Role::Leaf | Role::Container) {
            let outer = wrappers.first().map_or(node.start_position().row, |(_, row)| *row);
            units.push(unit(&node, outer, role == Role::Container, text, lines));
        }
        if role == Role::Wrapper {
            wrappers.push((depth, node.start_position().row));
        } else if role != Role::Other {
            wrappers.clear();
        }
        if role != Role::Leaf && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn unit(node: &Node<'_>, outer: usize, container: bool, text: &str, lines: &[&str]) -> Unit {
    let last = node.end_position();
    let end = if last.column == 0 && last.row > node.start_position().row { last.row - 1 } else { last.row };
    let head = node.start_position().row;
    Unit { start: with_comments(lines, outer.min(head)), head, end, name: name(node, text), container }
}

/// Goes up over comments, attributes and decorators that touch the definition.
fn with_comments(lines: &[&str], head: usize) -> usize {
    let mut start = head;
    while let Some(above) = start.checked_sub(1).and_then(|row| lines.get(row)) {
        let above = above.trim_start();
        let is_include = ["#include", "#define", "#if", "#endif", "#else", "#pragma", "#!["]
            .iter()
            .any(|word| above.starts_with(word));
        let belongs =
            ["//", "/*", "* ", "*/", "#", "@"].iter().any(|mark| above.starts_with(mark)) || above == "*";
        if !belongs || is_include {
            break;
        }
        start -= 1;
    }
    start
}

fn role(node: &Node<'_>) -> Role {
    if !node.is_named() {
        return Role::Other;
    }
    match node.kind() {
        // Rust
        "function_item" | "function_signature_item" | "macro_definition" | "struct_item" | "enum_item"
        | "union_item" | "type_item" | "const_item" | "static_item"
        // Python, C
        | "function_definition"
        // JavaScript, TypeScript
        | "function_declaration" | "generator_function_declaration" | "method_definition"
        | "interface_declaration" | "type_alias_declaration" | "enum_declaration" | "function_signature"
        // Go, Java
        | "method_declaration" | "type_declaration" | "constructor_declaration"
        | "compact_constructor_declaration" | "annotation_type_declaration"
        // C, C++
        | "type_definition" | "preproc_function_def" | "concept_definition" => Role::Leaf,
        "impl_item" | "trait_item" | "class_definition" | "class_declaration" | "abstract_class_declaration"
        | "record_declaration" => Role::Container,
        "mod_item" | "namespace_definition" | "internal_module" if node.child_by_field_name("body").is_some() => {
            Role::Container
        }
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier"
            if node.child_by_field_name("body").is_some() =>
        {
            Role::Container
        }
        "decorated_definition" | "export_statement" | "template_declaration" => Role::Wrapper,
        "lexical_declaration" | "variable_declaration" if declares_function(node) => Role::Leaf,
        "public_field_definition" | "field_definition" if has_function_value(node) => Role::Leaf,
        _ => Role::Other,
    }
}

fn has_function_value(node: &Node<'_>) -> bool {
    node.child_by_field_name("value").is_some_and(|value| {
        matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function" | "class")
    })
}

fn declares_function(node: &Node<'_>) -> bool {
    node.named_child(0).is_some_and(|declarator| has_function_value(&declarator))
}

fn name(node: &Node<'_>, text: &str) -> String {
    let of = |node: Node<'_>| node.utf8_text(text.as_bytes()).unwrap_or_default().to_owned();
    let named = match node.kind() {
        "impl_item" => node.child_by_field_name("type"),
        "lexical_declaration" | "variable_declaration" | "type_declaration" => {
            node.named_child(0).and_then(|inner| inner.child_by_field_name("name"))
        }
        _ => node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("property"))
            .or_else(|| declared(*node)),
    };
    let name = named.map(of).unwrap_or_default();
    // A type with all its parameters says too much.
    name.split(['<', '\n', '(']).next().unwrap_or_default().trim().to_owned()
}

/// C: the name is at the bottom of pointers, arrays and parameters.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..12 {
        let inner = at.child_by_field_name("declarator").or_else(|| {
            matches!(at.kind(), "reference_declarator" | "parenthesized_declarator")
                .then(|| at.named_child(0))
                .flatten()
        });
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some(at)
}
