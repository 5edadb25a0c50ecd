use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// How a run of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Strong emphasis.
    pub bold: bool,
    /// Emphasis.
    pub italic: bool,
    /// Struck through.
    pub strike: bool,
    /// Inline code.
    pub code: bool,
    /// Index into the leaf's link targets.
    pub link: Option<u16>,
}

/// Text of one style.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The text; line breaks are kept.
    pub text: String,
    /// Its style.
    pub style: Style,
}

/// What stands before a list item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A bullet.
    Bullet,
    /// A number.
    Number(u64),
    /// A task and whether it is done.
    Task(bool),
}

/// A table; every row has as many cells as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Table {
    /// -1 left, 0 centre, 1 right, one per column.
    pub align: Vec<i8>,
    /// Rows of cells, the head first.
    pub rows: Vec<Vec<Vec<Run>>>,
}

/// What a leaf is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Running text: a paragraph, an item's text; level 1 to 6 for headings, 0 else.
    Text {
        /// Heading level, 0 for running text.
        heading: u8,
        /// The text.
        runs: Vec<Run>,
    },
    /// Code, fenced or indented.
    Code {
        /// First word of the info string, lower case.
        lang: String,
        /// The rest of the info string, such as a path.
        info: String,
        /// The code without the fences.
        text: Arc<str>,
    },
    /// A table.
    Table(Table),
    /// A horizontal rule.
    Rule,
}

/// A piece that is drawn as one: a paragraph, an item's line, a code block, a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// Depth of quotes around it.
    pub quotes: u8,
    /// Depth of lists around it.
    pub indent: u8,
    /// Marker of the item it begins.
    pub marker: Option<Marker>,
    /// Stands close to the one before (tight lists).
    pub tight: bool,
    /// What it is.
    pub kind: Kind,
    /// Link targets, http and https only.
    pub links: Vec<String>,
    /// Names code for the highlighter; 0 for other kinds.
    pub code_key: u64,
}

/// One top-level block of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Its pieces from top to bottom.
    pub leaves: Vec<Leaf>,
    /// Its source, as Markdown.
    pub source: Arc<str>,
    /// Text that follows a long tail and was not parsed yet.
    pub(super) rest: bool,
}

pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Byte ranges of the top-level blocks, widened to whole lines. Link definitions count as paragraphs: where they
/// belong would depend on what follows, and a definition that vanished would be lost to the reader.
pub(super) fn top_level(text: &str) -> Vec<Range<usize>> {
    if text.contains("]:") {
        return top_level_of(&text.replace("]:", "]."));
    }
    top_level_of(text)
}

fn top_level_of(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    let mut end = 0;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    end = add(text, &mut ranges, end, range);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ if depth == 0 => end = add(text, &mut ranges, end, range),
            _ => {}
        }
    }
    if text.get(end..).is_some_and(|rest| !rest.trim().is_empty()) {
        ranges.push(end..text.len());
    }
    ranges
}

fn add(text: &str, ranges: &mut Vec<Range<usize>>, end: usize, range: Range<usize>) -> usize {
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1).max(end);
    if text.get(end..start).is_some_and(|gap| !gap.trim().is_empty()) {
        ranges.push(end..start);
    }
    let stop = text.get(range.end..).and_then(|rest| {
        if text.get(..range.end).is_some_and(|before| before.ends_with('\n')) {
            Some(0)
        } else {
            rest.find('\n').map(|at| at + 1)
        }
    });
    let stop = stop.map_or(text.len(), |more| range.end + more);
    ranges.push(start..stop);
    stop
}

impl Block {
    /// Parses the source of one top-level block.
    #[must_use]
    pub fn parse(source: &str) -> Self {
        let mut builder = Builder::default();
        for event in Parser::new_ext(source, options()) {
            builder.event(event);
        }
        builder.flush();
        if builder.leaves.is_empty() && !source.trim().is_empty() {
            builder.text(source.trim_end(), Style::default());
            builder.flush();
        }
        Self { leaves: builder.leaves, source: source.trim_end().into(), rest: false }
    }

    /// A block of one piece of code, for a fence that is still open.
    #[must_use]
    pub(super) fn code(info: &str, text: &str) -> Self {
        let mut builder = Builder::default();
        builder.code(info, text.to_owned());
        if let Some(leaf) = builder.leaves.first_mut() {
            leaf.code_key = 0;
        }
        Self { leaves: builder.leaves, source: "".into(), rest: false }
    }

    /// Text as it stands, without any Markdown.
    #[must_use]
    pub(super) fn plain(text: &str) -> Self {
        let mut builder = Builder::default();
        builder.text(text, Style::default());
        builder.flush();
        Self { leaves: builder.leaves, source: text.into(), rest: true }
    }
}

#[derive(Default)]
struct Builder {
    leaves: Vec<Leaf>,
    runs: Vec<Run>,
    links: Vec<String>,
    heading: u8,
    bold: u8,
    italic: u8,
    strike: u8,
    link: Vec<Option<u16>>,
    quotes: u8,
    lists: Vec<Option<u64>>,
    marker: Option<Marker>,
    tight: bool,
    code: Option<(String, String)>,
    table: Option<Table>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(text) => self.text(&text, Style { code: true, ..self.style() }),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, self.style()),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, self.style());
            }
            Event::SoftBreak | Event::HardBreak => self.text("\n", self.style()),
            Event::Rule => {
                self.flush();
                self.push(Kind::Rule, 0);
            }
            Event::TaskListMarker(done) => self.marker = Some(Marker::Task(done)),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = level_number(level);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_add(1);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                self.marker = Some(self.next_marker());
                self.tight = self.leaves.last().is_some_and(|leaf| leaf.indent > 0);
            }
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.strike += 1,
            Tag::Link { dest_url, .. } => self.open_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.open_link(&dest_url);
                self.text("image: ", self.style());
            }
            Tag::Table(align) => {
                self.flush();
                let align = align.iter().map(|side| match side {
                    Alignment::Center => 0,
                    Alignment::Right => 1,
                    Alignment::None | Alignment::Left => -1,
                });
                self.table = Some(Table { align: align.collect(), rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Paragraph => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.heading = 0;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                if let Some((info, code)) = self.code.take() {
                    self.code(&info, code);
                }
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                if self.marker.is_some() && self.runs.is_empty() {
                    self.text("", Style::default());
                }
                self.flush();
            }
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.strike = self.strike.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => {
                self.link.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.runs);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.push(Kind::Table(table), 0);
                }
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            _ => {}
        }
    }

    fn next_marker(&mut self) -> Marker {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let own = *number;
                *number = number.saturating_add(1);
                Marker::Number(own)
            }
            _ => Marker::Bullet,
        }
    }

    fn style(&self) -> Style {
        Style {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strike: self.strike > 0,
            code: false,
            link: self.link.iter().rev().find_map(|link| *link),
        }
    }

    /// Only web targets are links; anything else stays text.
    fn open_link(&mut self, target: &str) {
        let lower = target.get(..8).unwrap_or(target).to_ascii_lowercase();
        let is_web = lower.starts_with("http://") || lower.starts_with("https://");
        let index = u16::try_from(self.links.len()).ok().filter(|_| is_web);
        if index.is_some() {
            self.links.push(target.to_owned());
        }
        self.link.push(index);
    }

    fn text(&mut self, text: &str, style: Style) {
        match self.runs.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.runs.push(Run { text: text.to_owned(), style }),
        }
    }

    fn flush(&mut self) {
        if self.table.is_some() || self.runs.is_empty() {
            return;
        }
        let mut runs = std::mem::take(&mut self.runs);
        if let Some(last) = runs.last_mut() {
            last.text.truncate(last.text.trim_end_matches('\n').len());
        }
        let heading = self.heading;
        self.push(Kind::Text { heading, runs }, 0);
    }

    fn code(&mut self, info: &str, mut text: String) {
        if text.ends_with('\n') {
            text.pop();
        }
        let (lang, rest) = info.trim().split_once(char::is_whitespace).unwrap_or((info.trim(), ""));
        let lang = lang.to_lowercase();
        let mut hasher = DefaultHasher::new();
        (&lang, &text).hash(&mut hasher);
        let key = hasher.finish().max(1);
        self.push(Kind::Code { lang, info: rest.trim().to_owned(), text: text.into() }, key);
    }

    fn push(&mut self, kind: Kind, code_key: u64) {
        let indent = u8::try_from(self.lists.len()).unwrap_or(u8::MAX);
        let marker = self.marker.take();
        let tight = std::mem::take(&mut self.tight) && marker.is_some();
        let links = if self.link.is_empty() { std::mem::take(&mut self.links) } else { self.links.clone() };
        self.leaves.push(Leaf { quotes: self.quotes, indent, marker, tight, kind, links, code_key });
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
