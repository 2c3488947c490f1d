//! Requests suggestions, takes results, and inserts them into the text.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::on_conversation;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::suggestions::{SuggestionPanel, SuggestionState};
use crate::screens::composer::{ComposerMode, TranslatedReply};
use crate::screens::conversations::card::update as card;
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
                inbox
                    .context
                    .push(Effect::Request(OutsideRequest::CancelSuggestion(Box::new(self.id.clone()))));
            }
            return KeyOutcome::Done;
        }
        let (is_draft, is_text) = (self.is_draft(), self.is_text());
        let last = self.step_count().saturating_sub(1);
        match key.code {
            KeyCode::Char('r') if !matches!(self.state, SuggestionState::Waiting) => {
                if let Some(asked) = Self::start(inbox, self.id.kind, AskedBy::PersonAgain) {
                    *self = asked;
                }
            }
            KeyCode::Char('j') | KeyCode::Down => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Char('k') | KeyCode::Up => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Enter if is_text && !self.sentences().is_empty() => {
                let whole: String = self.sentences().iter().map(|sentence| sentence.text.as_str()).collect();
                return self.insert_text(whole.trim_end(), inbox);
            }
            KeyCode::Char(' ') if is_draft && !self.sentences().is_empty() => {
                return self.insert_chosen_sentence(inbox);
            }
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
                &[("Enter", "replace the text"), ("r", "again"), ("Esc", "dismiss")]
            }
            (SuggestionKind::Draft, SuggestionState::Ready(_)) => {
                &[("Enter", "use it"), ("Space", "use the sentence"), ("r", "again"), ("Esc", "dismiss")]
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
    fn start(inbox: &mut Inbox, kind: SuggestionKind, asked_by: AskedBy) -> Option<Self> {
        let request = build_request(inbox, kind, asked_by)?;
        let waiting = Self::waiting(request.id.clone());
        inbox.context.push(Effect::Request(OutsideRequest::Suggest(Box::new(request))));
        Some(waiting)
    }

    /// Inserts text into the reply if the conversation is still the same.
    fn insert_text(&self, words: &str, inbox: &mut Inbox) -> KeyOutcome {
        if inbox.desk.current_conversation().map(|current_conversation| current_conversation.key()).as_ref()
            != Some(&self.id.key)
        {
            inbox.context.show_warning("this was suggested for another conversation");
            return KeyOutcome::Done;
        }
        if self.id.kind == SuggestionKind::OwnText {
            self.replace_text(words, inbox);
        } else {
            canned::insert_text(&mut inbox.desk, words, &mut inbox.context);
        }
        KeyOutcome::Done
    }

    /// Replaces the text with its translation and keeps the original as a note.
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
        canned::insert_text(&mut inbox.desk, words, &mut inbox.context);
        if let Some(composer) = &mut inbox.desk.tab_mut().composer {
            composer.set_translated(TranslatedReply { original, language });
        }
        inbox.context.push(FileWrite::SaveNote(channel, conversation, note));
    }

    /// Inserts the chosen sentence; the others stay in the panel.
    fn insert_chosen_sentence(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let SuggestionState::Ready(found) = &mut self.state else { return KeyOutcome::Ignored };
        let taken = found.sentences.remove(self.chosen.min(found.sentences.len() - 1));
        self.chosen = self.chosen.min(found.sentences.len().saturating_sub(1));
        let outcome = self.insert_text(taken.text.as_str(), inbox);
        if self.sentences().is_empty() { outcome } else { KeyOutcome::Stay }
    }
}

pub(crate) fn may_suggest(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)?;
    match inbox.desk.current_history().and_then(History::newest_message) {
        Some(_) => Ok(()),
        None => Err("its messages have not been read yet".into()),
    }
}

pub(crate) fn draft(inbox: &mut Inbox, _: KeyPress) {
    open_suggestion(inbox, SuggestionKind::Draft);
}

/// Unfolds the brief above the composer, or folds it again; without one, opens one.
pub(crate) fn brief(inbox: &mut Inbox, _: KeyPress) {
    match inbox.desk.tab_mut().history.as_mut().and_then(|history| history.brief.as_mut()) {
        Some(shown) => shown.is_folded = !shown.is_folded,
        None => open_suggestion(inbox, SuggestionKind::Brief),
    }
}

pub(crate) fn summary(inbox: &mut Inbox, _: KeyPress) {
    open_suggestion(inbox, SuggestionKind::Summary);
}

pub(crate) fn may_translate_text(inbox: &Inbox) -> Result<(), Reason> {
    may_suggest(inbox)?;
    match typed_reply_text(&inbox.desk) {
        Some(_) => Ok(()),
        None => Err("there is no text to translate".into()),
    }
}

pub(crate) fn translate_text(inbox: &mut Inbox, _: KeyPress) {
    open_suggestion(inbox, SuggestionKind::OwnText);
}

fn typed_reply_text(desk: &Desk) -> Option<String> {
    let composer = desk.tab().composer.as_ref().filter(|composer| composer.mode == ComposerMode::Reply)?;
    Some(composer.reply_text()).filter(|text| !text.trim().is_empty())
}

pub(crate) fn translate(inbox: &mut Inbox, _: KeyPress) {
    open_suggestion(inbox, SuggestionKind::Translation);
}

/// Requests a suggestion and opens the panel that waits for it.
pub(crate) fn open_suggestion(inbox: &mut Inbox, kind: SuggestionKind) {
    if let Some(popup) = SuggestionPanel::start(inbox, kind, AskedBy::Person) {
        inbox.context.open(popup);
    }
}

/// Requests a summary to show above the composer, once the messages are read; it takes no keys.
pub(crate) fn request_brief(inbox: &mut Inbox) {
    if !inbox.context.settings.brief_on_pause {
        return;
    }
    if let Some(history) = inbox.desk.tab_mut().history.as_mut().filter(|history| !history.loaded) {
        history.awaits_brief = true;
        return;
    }
    if may_suggest(inbox).is_err() {
        return;
    }
    let asked = SuggestionPanel::start(inbox, SuggestionKind::Brief, AskedBy::Person)
        .map(|panel| SuggestionPanel { is_folded: true, ..panel });
    if let Some(history) = &mut inbox.desk.tab_mut().history {
        history.brief = asked;
    }
}

/// Requests the brief that waited for the messages.
pub(crate) fn request_awaited_brief(inbox: &mut Inbox) {
    let history = inbox.desk.tab_mut().history.as_mut().filter(|history| history.loaded);
    if history.is_some_and(|history| std::mem::take(&mut history.awaits_brief)) {
        request_brief(inbox);
    }
}

pub(crate) fn hide_brief(desk: &mut Desk) {
    if let Some(history) = &mut desk.tab_mut().history {
        history.drop_brief();
    }
}

/// Takes a result; dropped if no panel waits for it any more.
pub(crate) fn receive_suggestion(id: &SuggestionId, told: Result<Suggestion, String>, inbox: &mut Inbox) {
    let briefs = inbox.desk.tabs.iter_mut().filter_map(|tab| tab.history.as_mut()?.brief.as_mut());
    let mut shown = inbox.context.overlays.all_of_mut::<SuggestionPanel>().chain(briefs);
    if let Some(panel) = shown.find(|suggestion_panel| suggestion_panel.id == *id) {
        panel.state = match told {
            Ok(found) => SuggestionState::Ready(found),
            Err(why) => SuggestionState::Failed(SafeText::line(&why)),
        };
    }
}

fn build_request(inbox: &Inbox, kind: SuggestionKind, asked_by: AskedBy) -> Option<SuggestionRequest> {
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
    let own = typed_reply_text(desk).filter(|_| kind == SuggestionKind::OwnText);
    let newest = from.last().map(|message| message.id.clone());
    let key = desk.current_conversation()?.key();
    Some(SuggestionRequest {
        id: SuggestionId { kind, key, asked_at: context.now, newest, asked_by },
        conversation: from
            .iter()
            .map(|message| speaker_and_text(message))
            .chain(own.map(|text| (SpeakerRole::Business, text)))
            .collect(),
        facts: inbox.connections.reply_variables(desk, context),
        card: contact_fields(card::current_card(desk).and_then(|current_card| current_card.contact.as_ref())),
        tab_words: tab_labels(desk.tab()),
        voice: heard.and_then(voice::voice_note),
    })
}

pub(crate) fn build_draft_request(inbox: &Inbox, due: &DueDraft) -> Option<SuggestionRequest> {
    let (desk, context) = (&inbox.desk, &inbox.context);
    let key = due.row.key();
    let is_open =
        desk.current_conversation().is_some_and(|current_conversation| current_conversation.has_key(&key));
    let contact = due.row.conversation.name.as_ref().map(ToString::to_string);
    let facts = match is_open {
        true => inbox.connections.reply_variables(desk, context),
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
        card: contact_fields(due.contact.as_ref()),
        tab_words: tab_labels(desk.tabs.iter().find(|tab| tab.channel.id == due.row.channel)?),
        voice: None,
    })
}

fn contact_fields(contact: Option<&Contact>) -> Vec<(String, String)> {
    contact.map_or_else(Vec::new, |contact| {
        let tags = contact.tags.iter().map(|tag| ("tag".to_owned(), tag.to_string()));
        tags.chain(contact.metadata.iter().map(|(name, value)| (name.to_string(), value.to_string())))
            .collect()
    })
}

/// Words by which a canned reply can be limited to a tab.
fn tab_labels(tab: &Tab) -> Vec<String> {
    let platform = tab.platform().map(|platform| [platform.word().to_owned(), platform.label().to_owned()]);
    std::iter::once(tab.channel.name.clone()).chain(platform.into_iter().flatten()).collect()
}
