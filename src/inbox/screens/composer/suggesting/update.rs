//! Asks for suggestions, takes in what came, and takes them over.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_conversation;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::suggesting::{SuggestionPanel, SuggestionState};
use crate::screens::composer::{ComposerMode, TranslatedReply};
use crate::screens::history::{History, message_of, voice};
use crate::tab::Tab;
use model::contacts::Contact;
use model::messages::Message;
use model::replies::ReplyVariables;
use model::suggestions::{
    AskedBy, DueDraft, MAX_MESSAGES, SpeakerRole, Suggestion, SuggestionId, SuggestionKind,
    SuggestionRequest, speaker_and_text,
};
use model::text::SafeText;

impl Overlay for SuggestionPanel {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let leaves = key.code == KeyCode::Esc || (key.ctrl && key.code == KeyCode::Char('c'));
        if leaves || (!self.is_text() && key.code == KeyCode::Enter) {
            if matches!(self.state, SuggestionState::Waiting) {
                inbox.context.push(Effect::Ask(OutsideRequest::CancelSuggestion(Box::new(self.id.clone()))));
            }
            return KeyOutcome::Done;
        }
        let (is_draft, is_text) = (self.is_draft(), self.is_text());
        let last = self.steps().saturating_sub(1);
        match key.code {
            KeyCode::Char('r') if !matches!(self.state, SuggestionState::Waiting) => {
                if let Some(asked) = Self::ask(inbox, self.id.kind, AskedBy::PersonAgain) {
                    *self = asked;
                }
            }
            KeyCode::Char('j') | KeyCode::Down => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Char('k') | KeyCode::Up => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Enter if is_text && !self.sentences().is_empty() => {
                let whole: String = self.sentences().iter().map(|sentence| sentence.text.as_str()).collect();
                return self.insert_text(whole.trim_end(), inbox);
            }
            KeyCode::Char(' ') if is_draft && !self.sentences().is_empty() => return self.take_one(inbox),
            _ => return KeyOutcome::Ignored,
        }
        KeyOutcome::Stay
    }

    fn hints(&self, inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let keys: &[(&str, &str)] = match (self.id.kind, &self.state) {
            (_, SuggestionState::Waiting) => &[("Esc", "cancel")],
            (_, SuggestionState::Failed(_))
            | (SuggestionKind::Brief | SuggestionKind::Summary | SuggestionKind::Translation, _) => {
                &[("r", "again"), ("Esc", "back")]
            }
            (SuggestionKind::Transcript, SuggestionState::Ready(_)) => &[("Esc", "back")],
            (SuggestionKind::OwnText, SuggestionState::Ready(_)) => {
                &[("Enter", "put it in place of the text"), ("r", "again"), ("Esc", "leave it")]
            }
            (SuggestionKind::Draft, SuggestionState::Ready(_)) => {
                &[("Enter", "take it"), ("Space", "take the sentence"), ("r", "again"), ("Esc", "leave it")]
            }
        };
        let scrolls = (!self.is_draft() && self.is_long(inbox)).then_some(&("j k", "scroll"));
        Some(
            scrolls
                .into_iter()
                .chain(keys)
                .map(|(key, words)| ((*key).to_owned(), (*words).to_owned()))
                .collect(),
        )
    }
}

impl SuggestionPanel {
    /// Asks, and waits for what comes.
    fn ask(inbox: &mut Inbox, kind: SuggestionKind, asked_by: AskedBy) -> Option<Self> {
        let request = request(inbox, kind, asked_by)?;
        let waiting = Self::waiting(request.id.clone());
        inbox.context.push(Effect::Ask(OutsideRequest::Suggest(Box::new(request))));
        Some(waiting)
    }

    /// Puts words into the answer, if it is still the same conversation.
    fn insert_text(&self, words: &str, inbox: &mut Inbox) -> KeyOutcome {
        if inbox.desk.current_conversation().map(|current_conversation| current_conversation.key()).as_ref()
            != Some(&self.id.key)
        {
            inbox.context.warn("this was suggested for another conversation");
            return KeyOutcome::Done;
        }
        if self.id.kind == SuggestionKind::OwnText {
            self.replace_text(words, inbox);
        } else {
            inbox.desk.insert(words, &mut inbox.context);
        }
        KeyOutcome::Done
    }

    /// Puts the translation in place of the text, which is kept as a note.
    fn replace_text(&self, words: &str, inbox: &mut Inbox) {
        let now = inbox.context.moment;
        let tab = inbox.desk.tab_mut();
        let channel = tab.channel.id.clone();
        let Some(composer) = &mut tab.composer else { return };
        let (original, language) = (composer.reply_text(), self.language().cloned());
        let into = language.as_ref().map_or_else(String::new, |language| format!(" into {language}"));
        let note = format!("Translated{into}. The original: {original}");
        let conversation = composer.conversation.clone();
        composer.clear_reply(now);
        inbox.desk.insert(words, &mut inbox.context);
        if let Some(composer) = &mut inbox.desk.tab_mut().composer {
            composer.note_translated(TranslatedReply { original, language });
        }
        inbox.context.push(FileWrite::SaveNote(channel, conversation, note));
    }

    /// Puts the chosen sentence into the answer; the others stay.
    fn take_one(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let SuggestionState::Ready(found) = &mut self.state else { return KeyOutcome::Ignored };
        let taken = found.sentences.remove(self.chosen.min(found.sentences.len() - 1));
        self.chosen = self.chosen.min(found.sentences.len().saturating_sub(1));
        let outcome = self.insert_text(taken.text.as_str(), inbox);
        if self.sentences().is_empty() { outcome } else { KeyOutcome::Stay }
    }
}

/// Whether there is anything to suggest from.
pub(crate) fn may_suggest(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)?;
    match inbox.desk.current_history().and_then(History::newest_message) {
        Some(_) => Ok(()),
        None => Err("its messages have not been read yet".into()),
    }
}

pub(crate) fn draft(inbox: &mut Inbox, _: KeyPress) {
    ask(inbox, SuggestionKind::Draft);
}

pub(crate) fn brief(inbox: &mut Inbox, _: KeyPress) {
    ask(inbox, SuggestionKind::Brief);
}

pub(crate) fn summary(inbox: &mut Inbox, _: KeyPress) {
    ask(inbox, SuggestionKind::Summary);
}

pub(crate) fn may_translate_text(inbox: &Inbox) -> Result<(), Reason> {
    may_suggest(inbox)?;
    match own_text(&inbox.desk) {
        Some(_) => Ok(()),
        None => Err("there is no text to translate".into()),
    }
}

pub(crate) fn translate_text(inbox: &mut Inbox, _: KeyPress) {
    ask(inbox, SuggestionKind::OwnText);
}

/// The answer as it stands in the composer.
fn own_text(desk: &Desk) -> Option<String> {
    let composer = desk.tab().composer.as_ref().filter(|composer| composer.mode == ComposerMode::Reply)?;
    Some(composer.reply_text()).filter(|text| !text.trim().is_empty())
}

pub(crate) fn translate(inbox: &mut Inbox, _: KeyPress) {
    ask(inbox, SuggestionKind::Translation);
}

/// Asks for a suggestion and shows that it is on its way.
pub(crate) fn ask(inbox: &mut Inbox, kind: SuggestionKind) {
    if let Some(popup) = SuggestionPanel::ask(inbox, kind, AskedBy::Person) {
        inbox.context.open(popup);
    }
}

/// Has a brief stand above the composer, which takes no keys.
pub(crate) fn brief_beside(inbox: &mut Inbox) {
    if !inbox.context.settings.brief_on_pause || may_suggest(inbox).is_err() {
        return;
    }
    let asked = SuggestionPanel::ask(inbox, SuggestionKind::Brief, AskedBy::Person);
    if let Some(history) = &mut inbox.desk.tab_mut().history {
        history.brief = asked;
    }
}

impl Desk {
    /// The brief above the composer is not needed any more.
    pub(crate) fn hide_brief(&mut self) {
        if let Some(history) = &mut self.tab_mut().history {
            history.brief = None;
        }
    }
}

/// A suggestion has come; what nobody waits for any more is dropped.
pub(crate) fn suggested(id: &SuggestionId, told: Result<Suggestion, String>, inbox: &mut Inbox) {
    let briefs = inbox.desk.tabs.iter_mut().filter_map(|tab| tab.history.as_mut()?.brief.as_mut());
    let mut shown = inbox.context.layers.of_mut::<SuggestionPanel>().chain(briefs);
    if let Some(panel) = shown.find(|suggestion_panel| suggestion_panel.id == *id) {
        panel.state = match told {
            Ok(found) => SuggestionState::Ready(found),
            Err(why) => SuggestionState::Failed(SafeText::line(&why)),
        };
    }
}

fn request(inbox: &Inbox, kind: SuggestionKind, asked_by: AskedBy) -> Option<SuggestionRequest> {
    let (desk, context) = (&inbox.desk, &inbox.context);
    let history = desk.current_history()?;
    let messages: Vec<&Message> =
        history.items.iter().filter_map(message_of).map(|message_row| &message_row.message).collect();
    let translated = history
        .selected_message()
        .map(|selected_message| &selected_message.message)
        .or(messages.last().copied());
    let heard = voice::current_voice(desk).filter(|_| kind == SuggestionKind::Transcript);
    let one = match kind {
        SuggestionKind::Translation => translated,
        SuggestionKind::Transcript => Some(&heard?.message),
        SuggestionKind::Draft | SuggestionKind::Brief | SuggestionKind::Summary | SuggestionKind::OwnText => {
            None
        }
    };
    let from: &[&Message] = match &one {
        Some(one) => std::slice::from_ref(one),
        None => &messages[messages.len().saturating_sub(MAX_MESSAGES)..],
    };
    let own = own_text(desk).filter(|_| kind == SuggestionKind::OwnText);
    let newest = from.last().map(|message| message.id.clone());
    let key = desk.current_conversation()?.key();
    Some(SuggestionRequest {
        id: SuggestionId { kind, key, asked_at: context.now, newest, asked_by },
        conversation: from
            .iter()
            .map(|message| speaker_and_text(message))
            .chain(own.map(|text| (SpeakerRole::Business, text)))
            .collect(),
        facts: inbox.connections.facts(desk, context),
        card: card(desk.current_card().and_then(|current_card| current_card.contact.as_ref())),
        tab_words: tab_words(desk.tab()),
        voice: heard.and_then(voice::note_of),
    })
}

/// What asks for a draft that is to be ready when a person looks.
pub(crate) fn prepared(inbox: &Inbox, due: &DueDraft) -> Option<SuggestionRequest> {
    let (desk, context) = (&inbox.desk, &inbox.context);
    let key = due.row.key();
    let is_open =
        desk.current_conversation().is_some_and(|current_conversation| current_conversation.has_key(&key));
    let contact = due.row.conversation.name.as_ref().map(ToString::to_string);
    let facts = match is_open {
        true => inbox.connections.facts(desk, context),
        false => ReplyVariables { contact, agent: desk.agent.clone(), ..ReplyVariables::default() },
    };
    Some(SuggestionRequest {
        id: SuggestionId {
            kind: SuggestionKind::Draft,
            asked_at: context.now,
            newest: Some(due.messages.last()?.id.clone()),
            asked_by: AskedBy::Desk,
            key,
        },
        conversation: due.messages.iter().map(speaker_and_text).collect(),
        facts,
        card: card(due.contact.as_ref()),
        tab_words: tab_words(desk.tabs.iter().find(|tab| tab.channel.id == due.row.channel)?),
        voice: None,
    })
}

/// What a card holds besides name and address: names and values.
fn card(contact: Option<&Contact>) -> Vec<(String, String)> {
    contact.map_or_else(Vec::new, |contact| {
        let tags = contact.tags.iter().map(|tag| ("tag".to_owned(), tag.to_string()));
        tags.chain(contact.metadata.iter().map(|(name, value)| (name.to_string(), value.to_string())))
            .collect()
    })
}

/// The words by which a canned reply can be for a tab alone.
fn tab_words(tab: &Tab) -> Vec<String> {
    let platform = tab.platform().map(|platform| [platform.word().to_owned(), platform.label().to_owned()]);
    std::iter::once(tab.channel.name.clone()).chain(platform.into_iter().flatten()).collect()
}
