//! Canned replies in the composer: picking one, filling its fields, and not
//! sending one that is not filled.
//!
//! What was read comes in.

use crate::Inbox;
use crate::components::picker::{Picked, Picker};
use crate::event::Effect;
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::composer::{Composer, ComposerMode};
use crate::tab::{Focus, Tab};
use model::replies::{self, CannedReply, ReplyVariables};

/// The canned replies as they were read last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canned {
    /// Where they lie.
    pub folder: String,
    /// The replies by name; `None` until they were read once.
    pub replies: Option<Vec<CannedReply>>,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

impl Canned {
    /// Those a question finds that are for this tab, best first.
    pub fn found(&self, query: &str, tab: &Tab) -> Vec<&CannedReply> {
        let here = |it: &&CannedReply| {
            it.channel.as_ref().is_none_or(|word| {
                let same = |other: &str| other.eq_ignore_ascii_case(word);
                same(&tab.channel.name)
                    || tab.platform().is_some_and(|it| same(it.word()) || same(it.label()))
            })
        };
        let all = self.replies.iter().flatten();
        let mut found: Vec<&CannedReply> = all.filter(here).filter(|it| it.matches(query)).collect();
        found.sort_by(|a, b| a.rank(query).cmp(&b.rank(query)).then_with(|| a.name.cmp(&b.name)));
        found
    }
}

impl Inbox {
    /// Opens the picker over the composer; `opener` is what was typed to open
    /// it, and comes back if nothing is picked.
    pub(crate) fn pick_reply(&mut self, opener: &'static str) {
        self.context.push(Effect::Ask(OutsideRequest::Replies));
        self.open_layer(Layer::Replies { picker: Picker::default(), opener, back: None });
    }

    /// Opens the picker from the list or the history.
    pub(crate) fn canned(&mut self) {
        let back = Some(self.tab().focus);
        self.open(Focus::Composer);
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.mode = ComposerMode::Reply;
        }
        self.context.push(Effect::Ask(OutsideRequest::Replies));
        self.open_layer(Layer::Replies { picker: Picker::default(), opener: "", back });
    }

    /// A typed character that opens the picker: a stroke on an empty text, or
    /// a second colon.
    pub(crate) fn opens_replies(&mut self, key: KeyPress) -> bool {
        let now = self.context.now;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let opener = match key.typed() {
            Some('/') if composer.sheet().is_empty() => "/",
            Some(':') if composer.sheet().before_cursor().ends_with(':') => {
                composer.change(now, |it| it.replace_before(1, ""));
                "::"
            }
            _ => return false,
        };
        self.pick_reply(opener);
        true
    }

    /// A key in the picker.
    pub(crate) fn replies_key(&mut self, layer: Layer, key: KeyPress) {
        let Layer::Replies { mut picker, opener, back } = layer else { return };
        let found = self.canned.found(&picker.query, self.tab());
        match picker.key(key, found.len()) {
            Picked::Stays => self.layers.push(Layer::Replies { picker, opener, back }),
            Picked::Entry(index) => {
                let text = replies::fill(&found[index].body, &self.facts());
                self.insert_reply(&text);
            }
            Picked::Left => {
                if picker.query.is_empty() {
                    self.insert(opener);
                }
                if let Some(back) = back {
                    self.tab_mut().focus = back;
                }
            }
        }
    }

    /// What fields are filled from here.
    pub fn facts(&self) -> ReplyVariables {
        let row = self.tab().history.as_ref().and_then(|it| it.row.as_ref());
        let contact = row.and_then(|it| it.conversation.name.as_ref()).map(ToString::to_string);
        ReplyVariables { contact, agent: self.agent.clone(), looked_up: self.looked_up() }
    }

    /// Puts a reply at the cursor, and the cursor on its first open field.
    fn insert_reply(&mut self, text: &str) {
        let now = self.context.now;
        let open = !replies::unfilled(text).is_empty();
        let before = self.tab().composer.as_ref().map(|it| it.sheet().cursor());
        self.insert(text);
        let Some((line, character)) = before.filter(|_| open) else { return };
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.change(now, |it| it.move_to(line, character));
        }
        self.next_field();
    }

    /// Puts text at the cursor.
    pub(crate) fn insert(&mut self, text: &str) {
        let now = self.context.now;
        if !text.is_empty()
            && let Some(composer) = &mut self.tab_mut().composer
            && !composer.paste(text, now)
        {
            self.warn("the text was too long and has been cut");
        }
    }

    /// Puts what connections told in place of the first `{connection.field}`
    /// that was typed; false if there is none.
    fn fill_looked_up(&mut self) -> bool {
        let (now, known) = (self.context.now, self.looked_up());
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let found = composer.area().lines().iter().enumerate().find_map(|(number, line)| {
            known.iter().find_map(|(name, value)| {
                let field = [format!("{{{name}}}"), format!("{{{name}?}}")].into_iter();
                field.filter_map(|it| Some((number, line.find(&it)?, it.chars().count(), value))).next()
            })
        });
        let Some((line, at, length, value)) = found else { return false };
        let start = composer.area().lines()[line][..at].chars().count();
        composer.change(now, |sheet| {
            sheet.move_to(line, start);
            sheet.replace_after(length, value);
        });
        true
    }

    /// Goes to the next field that is to be filled in, filling in what is
    /// known; false if there is none.
    pub(crate) fn next_field(&mut self) -> bool {
        let mut filled = false;
        while self.fill_looked_up() {
            filled = true;
        }
        self.go_to_field() || filled
    }

    fn go_to_field(&mut self) -> bool {
        let now = self.context.now;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let Some(((line, character), _)) = next_field(composer) else { return false };
        composer.change(now, |it| it.move_to(line, character));
        true
    }

    /// A character typed on a field takes its place.
    pub(crate) fn fills_field(&mut self, key: KeyPress) -> bool {
        let now = self.context.now;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let at = composer.sheet().cursor();
        let field = fields(composer).into_iter().find(|(place, _)| *place == at);
        let (Some(it), Some((_, length))) = (key.typed(), field) else { return false };
        composer.change(now, |sheet| sheet.replace_after(length, it.encode_utf8(&mut [0; 4])));
        true
    }

    /// Why a text with open fields does not leave.
    pub(crate) fn unfilled(&self) -> Option<String> {
        let text = self.tab().composer.as_ref()?.reply_text();
        let names = self.context.settings.connections.iter().map(|it| format!("{{{}.", it.name));
        if let Some(at) = names.filter_map(|it| text.find(&it)).min() {
            let field = text[at..].split_inclusive('}').next().unwrap_or("");
            return Some(format!("{field} is still to be filled in: Tab does, once it was looked up"));
        }
        let composer = self.tab().composer.as_ref()?;
        let field = match next_field(composer) {
            Some(((line, character), length)) => {
                composer.area().lines()[line].chars().skip(character).take(length).collect()
            }
            None => text[replies::unfilled(&text).into_iter().next()?].to_owned(),
        };
        Some(format!("{field} is still to be filled in: Tab goes there"))
    }
}

/// The open field Tab goes to: the next one behind the cursor, from the end
/// the first.
fn next_field(composer: &Composer) -> Option<((usize, usize), usize)> {
    let fields = fields(composer);
    let at = composer.sheet().cursor();
    fields.iter().find(|(place, _)| *place > at).or(fields.first()).copied()
}

/// The open fields: line and character, and how many characters they have.
fn fields(composer: &Composer) -> Vec<((usize, usize), usize)> {
    let mut found = Vec::new();
    for (line, text) in composer.area().lines().iter().enumerate() {
        for field in replies::unfilled(text) {
            let start = text[..field.start].chars().count();
            found.push(((line, start), text[field].chars().count()));
        }
    }
    found
}
