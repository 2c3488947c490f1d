//! Measures the tree the HTML parser would build of a mail, and stops it early.
//!
//! The parser repeats unclosed formatting elements in every block that follows, so a small mail can become a tree of
//! millions of elements. Counting tags in the text cannot foresee that. The mail is therefore given to the parser
//! piece by piece, with a sink that keeps only names and places and counts what the sanitiser's tree would hold.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::time::Duration;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, local_name, ns, parse_fragment};

use crate::shell::clock;

/// Bytes that the sanitiser's tree and its list of parse errors may take, by the estimates below.
const MAX_TREE_BYTES: usize = 32 * 1024 * 1024;
/// Elements inside each other. The parser's cost grows with the square of the depth; a mail for people stays far below.
const MAX_DEPTH: usize = 512;
/// Processor time for the measurement; the sanitiser then takes about as long again. Ends what is slow without being large, as a
/// tag with a million attributes.
const MAX_PARSE_TIME: Duration = Duration::from_secs(1);
/// Bytes given to the parser between two checks of the budget.
const CHUNK_BYTES: usize = 1024;

/// Bytes of one node in the sanitiser's tree, including its place among its siblings and its two tags in the
/// page.
const NODE_BYTES: usize = 256;
/// Bytes of one attribute, besides its value.
const ATTRIBUTE_BYTES: usize = 64;
/// Bytes of one kept parse error.
const ERROR_BYTES: usize = 24;

/// Index of a node in `TreeMeter::nodes`; the document is 0.
type NodeId = usize;
const DOCUMENT: NodeId = 0;

/// True if the sanitiser can parse this HTML within the bounds above.
pub(super) fn is_within_limits(html: &str) -> bool {
    let context = QualName::new(None, ns!(html), local_name!("div"));
    let mut parser = parse_fragment(TreeMeter::default(), ParseOpts::default(), context, Vec::new(), false);
    let began = clock::thread_time();
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(CHUNK_BYTES.min(rest.len())));
        parser.process(StrTendril::from(piece));
        if parser.tokenizer.sink.sink.is_exceeded.get()
            || clock::thread_time().saturating_sub(began) > MAX_PARSE_TIME
        {
            return false;
        }
        rest = after;
    }
    !parser.finish()
}

/// Shape of a tree: names and places of its nodes, and its estimated size.
struct TreeMeter {
    nodes: RefCell<Vec<Node>>,
    bytes: Cell<usize>,
    /// Set once a bound is exceeded; the tree no longer changes then.
    is_exceeded: Cell<bool>,
}

#[derive(Default)]
struct Node {
    /// `None` for texts, comments and the document.
    name: Option<QualName>,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    is_text: bool,
    /// Contents of a `<template>`.
    contents: Option<NodeId>,
}

impl Default for TreeMeter {
    fn default() -> Self {
        Self {
            nodes: RefCell::new(vec![Node::default()]),
            bytes: Cell::new(0),
            is_exceeded: Cell::new(false),
        }
    }
}

impl TreeMeter {
    fn charge(&self, bytes: usize) {
        let total = self.bytes.get().saturating_add(bytes);
        self.bytes.set(total);
        if total > MAX_TREE_BYTES {
            self.is_exceeded.set(true);
        }
    }

    fn create(&self, node: Node) -> NodeId {
        self.charge(NODE_BYTES);
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(node);
        nodes.len() - 1
    }

    fn charge_attributes(&self, attributes: &[Attribute]) {
        self.charge(attributes.iter().map(|attribute| ATTRIBUTE_BYTES + attribute.value.len()).sum());
    }

    /// Inserts a node or text among the children of `parent`, before the child at `position`.
    fn insert(&self, parent: NodeId, position: usize, child: NodeOrText<NodeId>) {
        if self.is_exceeded.get() {
            return;
        }
        let child = match child {
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(text) => {
                self.charge(text.len());
                if self.is_text_before(parent, position) {
                    return;
                }
                self.create(Node { is_text: true, ..Node::default() })
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        nodes[parent].children.insert(position, child);
        nodes[child].parent = Some(parent);
        let depth = std::iter::successors(Some(child), |id| nodes[*id].parent).take(MAX_DEPTH + 1).count();
        if depth > MAX_DEPTH {
            self.is_exceeded.set(true);
        }
    }

    fn is_text_before(&self, parent: NodeId, position: usize) -> bool {
        let nodes = self.nodes.borrow();
        let before = position.checked_sub(1).and_then(|at| nodes[parent].children.get(at));
        before.is_some_and(|id| nodes[*id].is_text)
    }

    /// Parent of a node and the node's position among its children.
    fn position_of(&self, id: NodeId) -> Option<(NodeId, usize)> {
        let nodes = self.nodes.borrow();
        let parent = nodes[id].parent?;
        let position = nodes[parent].children.iter().position(|child| *child == id)?;
        Some((parent, position))
    }
}

/// Element name in the form the parser needs.
#[derive(Debug)]
struct NodeName(QualName);

impl ElemName for NodeName {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for TreeMeter {
    type Handle = NodeId;
    /// True if a bound was exceeded.
    type Output = bool;
    type ElemName<'a> = NodeName;

    fn finish(self) -> bool {
        self.is_exceeded.get()
    }

    fn parse_error(&self, _: Cow<'static, str>) {
        self.charge(ERROR_BYTES);
    }

    fn get_document(&self) -> NodeId {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> NodeName {
        let name = self.nodes.borrow()[*target].name.clone();
        NodeName(name.unwrap_or_else(|| QualName::new(None, ns!(), LocalName::from(""))))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.charge_attributes(&attributes);
        let contents = flags.template.then(|| self.create(Node::default()));
        self.create(Node { name: Some(name), contents, ..Node::default() })
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.charge(text.len());
        self.create(Node::default())
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.charge(target.len() + data.len());
        self.create(Node::default())
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let end = self.nodes.borrow()[*parent].children.len();
        self.insert(*parent, end, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.nodes.borrow()[*element].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        self.charge(NODE_BYTES);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.nodes.borrow()[*target].contents.unwrap_or(DOCUMENT)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.remove_from_parent(id);
        }
        if let Some((parent, position)) = self.position_of(*sibling) {
            self.insert(parent, position, child);
        }
    }

    fn add_attrs_if_missing(&self, _: &NodeId, attributes: Vec<Attribute>) {
        self.charge_attributes(&attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        if let Some((parent, position)) = self.position_of(*target) {
            let mut nodes = self.nodes.borrow_mut();
            nodes[parent].children.remove(position);
            nodes[*target].parent = None;
        }
    }

    fn reparent_children(&self, from: &NodeId, to: &NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        let children = std::mem::take(&mut nodes[*from].children);
        for child in &children {
            nodes[*child].parent = Some(*to);
        }
        nodes[*to].children.extend(children);
    }
}
