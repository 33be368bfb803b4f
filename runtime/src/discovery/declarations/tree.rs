//! A type as a tree that grows breadth first under a budget: what is near the root comes before what is deep inside, and
//! what does not fit is left `unknown`. So a schema of any size and shape gives a type of bounded size, in bounded time.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use super::resolve::{Document, Place, inside};
use super::text::comment;
use crate::durable::json::utf16_len;

/// A schema node as deep as this is not looked into (SCHEMA-24).
pub(super) const MAX_DEPTH: usize = 20;

/// Nodes of one schema that lie on top of each other: its depth, and the steps between.
const MAX_LEVEL: usize = 4 * MAX_DEPTH;

/// So many references are followed from one to the next, where only what is said at their end matters.
pub(super) const REFERENCES: usize = 10;

/// How references are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    /// What they lead to stands in their place (SCHEMA-21); where that would never end, `unknown` does (SCHEMA-23).
    Inlined,
    /// Objects and arrays that are referred to become types of their own.
    Named,
}

/// The room for one tree, in UTF-16 code units.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// For all of it.
    pub(super) whole: usize,
    /// For one list of values, so that it does not take the place of everything else.
    pub(super) list: usize,
}

pub(super) type Id = usize;

/// What one node prints.
pub(super) enum Shape {
    /// Nothing yet. If it stays so, it is cut.
    Waiting,
    /// One word or literal.
    Word(String),
    /// Literals, of which some may be left out.
    Literals(Vec<String>),
    /// An object type.
    Object {
        members: Vec<Member>,
        left_out: usize,
        index: Option<Index>,
    },
    /// An object without any member: `{}`, or an open one.
    Empty(Openness),
    Array(Id),
    /// Items from `required` on are optional.
    Tuple {
        items: Vec<Id>,
        required: usize,
        rest: Option<Id>,
    },
    Union(Vec<Id>),
    Intersection(Vec<Id>),
    /// The first with `null`.
    Nullable(Id),
    /// The first, unless it says nothing.
    Preferred(Id, Id),
    /// A type of its own, by its place in [`Tree::types`].
    Named(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Openness {
    Open,
    Closed,
}

pub(super) struct Member {
    /// As it is written.
    pub(super) name: String,
    pub(super) mark: &'static str,
    pub(super) node: Id,
    pub(super) doc: Doc,
}

/// What other members may be.
pub(super) struct Index {
    pub(super) types: Vec<Id>,
    pub(super) doc: Doc,
}

/// A place in [`Tree::docs`].
pub(super) type Doc = usize;

/// Which part of a schema a node stands for.
#[derive(Clone, Copy)]
pub(super) enum Facet<'a> {
    /// All of it.
    Whole,
    /// Without `nullable`.
    Core,
    /// Where its reference leads.
    Reference(&'a str),
    /// `anyOf`, `oneOf`.
    Union(&'a [Value]),
    /// `allOf`.
    Intersection(&'a [Value]),
    /// What it says itself.
    Own,
    /// One of its types.
    Type(&'a str),
}

pub(super) struct Node<'a> {
    pub(super) place: Place<'a>,
    pub(super) facet: Facet<'a>,
    pub(super) parent: Option<Id>,
    /// Schemas around it.
    pub(super) depth: usize,
    /// Nodes around it.
    level: usize,
    /// Levels of braces around it.
    pub(super) indent: usize,
    /// How one gets to it from the node around it.
    pub(super) step: Step<'a>,
    /// Who says what is to be said about it.
    pub(super) doc: Doc,
    pub(super) shape: Shape,
}

/// A step inwards.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    /// None: the same value.
    Same,
    /// To a member.
    Member(&'a str),
    /// To any other member.
    AnyMember,
    /// To an item.
    Item,
}

/// A type with a name.
pub(super) struct Root<'a> {
    pub(super) schema: &'a Value,
    pub(super) name: String,
    pub(super) node: Id,
    pub(super) doc: Doc,
}

/// The types of one schema.
pub(super) struct Tree<'a, 'd> {
    pub(super) document: &'d Document<'a>,
    pub(super) references: References,
    /// The first one is that of the schema.
    pub(super) types: Vec<Root<'a>>,
    pub(super) nodes: Vec<Node<'a>>,
    /// Lines of comments.
    pub(super) docs: Vec<Vec<String>>,
    /// Whether something did not fit.
    pub(super) is_cut: bool,
    /// Whether there was a reference that could have had a name.
    pub(super) refers: bool,
    /// What schemas require, by their addresses.
    pub(super) required: HashMap<*const Value, Rc<BTreeSet<&'a str>>>,
    waiting: VecDeque<Id>,
    pub(super) room: Room,
    left: usize,
}

/// What stands where nothing is known, with the punctuation that a part of something may need around it.
pub(super) const PART: usize = "unknown".len() + " | ()[]".len();

impl<'a, 'd> Tree<'a, 'd> {
    /// Grows the tree of a whole document.
    pub(super) fn grown(document: &'d Document<'a>, name: &str, references: References, room: Room) -> Self {
        let mut tree = Self {
            document,
            references,
            types: Vec::new(),
            nodes: Vec::new(),
            docs: Vec::new(),
            is_cut: false,
            refers: false,
            required: HashMap::new(),
            waiting: VecDeque::new(),
            room,
            left: room.whole,
        };
        let root = document.root();
        // It is there whether it fits or not.
        tree.left = tree.left.saturating_sub(PART);
        tree.add_type(root, name.to_owned());
        while let Some(id) = tree.waiting.pop_front() {
            match tree.shape(id) {
                Some(shape) => tree.nodes[id].shape = shape,
                None => tree.is_cut = true,
            }
        }
        tree
    }

    /// Takes room, if there is so much.
    pub(super) fn spend(&mut self, units: usize) -> Option<()> {
        self.left = self.left.checked_sub(units)?;
        Some(())
    }

    /// Gives room back that was not used.
    pub(super) fn give_back(&mut self, units: usize) {
        self.left += units;
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// What the members of an object must leave to others. The root's may take all; where room is scarce, others leave
    /// half.
    pub(super) fn share(&self, id: Id) -> usize {
        let is_root = self.nodes[id].indent == 0;
        if is_root || self.is_ample() { 0 } else { self.left / 2 }
    }

    /// Whether there is room for more than may be printed.
    pub(super) fn is_ample(&self) -> bool {
        self.room.list == self.room.whole
    }

    pub(super) fn doc(&mut self, lines: Vec<String>) -> Doc {
        self.docs.push(lines);
        self.docs.len() - 1
    }

    /// Says something about a node, where there is room.
    pub(super) fn note(&mut self, id: Id, text: &str) {
        let Node { doc, indent, .. } = self.nodes[id];
        let line = comment(text);
        // It may turn a comment of one line into a block of four.
        let units = units(&line) + 3 * (4 * indent + " * \n".len() + 1);
        if !self.docs[doc].contains(&line) && self.spend(units).is_some() {
            self.docs[doc].push(line);
        }
    }

    /// A type of its own. The room for its name is the caller's to take.
    pub(super) fn add_type(&mut self, place: Place<'a>, name: String) -> usize {
        let doc = self.doc(Vec::new());
        let node = self.add(Node {
            place,
            facet: Facet::Whole,
            parent: None,
            depth: 0,
            level: 0,
            indent: 0,
            step: Step::Same,
            doc,
            shape: Shape::Waiting,
        });
        self.types.push(Root { schema: place.schema, name, node, doc });
        self.types.len() - 1
    }

    /// Gives other names to its own types where theirs are taken. The schema's own name is its caller's.
    pub(super) fn rename(&mut self, taken: &BTreeSet<String>) {
        for at in 1..self.types.len() {
            let is_taken = |name: &str| {
                taken.contains(name) || self.types.iter().enumerate().any(|(other, t)| other != at && t.name == name)
            };
            let mut name = self.types[at].name.clone();
            while is_taken(&name) {
                name.push('_');
            }
            self.types[at].name = name;
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.types.iter().map(|root| root.name.clone())
    }

    /// Another facet of the schema of a node.
    pub(super) fn part(&mut self, id: Id, facet: Facet<'a>) -> Option<Id> {
        let depth = self.nodes[id].depth;
        self.child(Node { facet, depth, ..self.inner(id) })
    }

    /// A schema inside of the schema of a node, in the same braces, which is said where that is said.
    pub(super) fn below(&mut self, id: Id, schema: &'a Value, step: Step<'a>) -> Option<Id> {
        self.child(Node { place: inside(self.nodes[id].place, schema), step, ..self.inner(id) })
    }

    /// The schema of a member.
    pub(super) fn member(&mut self, id: Id, schema: &'a Value, step: Step<'a>, doc: Doc) -> Option<Id> {
        let indent = self.nodes[id].indent + 1;
        self.child(Node { place: inside(self.nodes[id].place, schema), indent, doc, step, ..self.inner(id) })
    }

    /// Where a reference leads, in the place of the reference.
    pub(super) fn referred(&mut self, id: Id, place: Place<'a>) -> Option<Id> {
        let depth = self.nodes[id].depth;
        self.child(Node { place, depth, ..self.inner(id) })
    }

    fn inner(&self, id: Id) -> Node<'a> {
        let parent = &self.nodes[id];
        Node {
            place: parent.place,
            facet: Facet::Whole,
            parent: Some(id),
            depth: parent.depth + 1,
            level: parent.level + 1,
            indent: parent.indent,
            step: Step::Same,
            doc: parent.doc,
            shape: Shape::Waiting,
        }
    }

    fn child(&mut self, node: Node<'a>) -> Option<Id> {
        self.spend(PART)?;
        Some(self.add(node))
    }

    fn add(&mut self, node: Node<'a>) -> Id {
        self.nodes.push(node);
        self.waiting.push_back(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Whether a node lies so deep that it is not looked into.
    pub(super) fn is_deep(&self, id: Id) -> bool {
        self.nodes[id].depth >= MAX_DEPTH || self.nodes[id].level >= MAX_LEVEL
    }

    /// The node itself and those around it, from the inside.
    pub(super) fn around(&self, id: Id) -> impl Iterator<Item = &Node<'a>> {
        std::iter::successors(Some(&self.nodes[id]), |node| node.parent.map(|parent| &self.nodes[parent]))
    }
}

pub(super) fn units(text: &str) -> usize {
    usize::try_from(utf16_len(text)).unwrap_or(usize::MAX)
}
