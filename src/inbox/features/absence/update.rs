//! Notes that somebody is here, offers what happened meanwhile to who comes
//! back, and lists it.

use crate::Inbox;
use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::features::absence::{Absences, HERE};
use crate::features::offers::update as offers;
use crate::overlays::listing;
use crate::overlays::listing::{ListKind, ListOverlay};
use crate::overlays::overlay::KeyOutcome;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::tab::Focus;
use model::conversations::{ConversationRow, Escalation};
use model::digest::{Absence, Digest, DigestEntry, DigestFact, DigestPlace};
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};
use model::waves::{self, CampaignPhase};

impl Absences {
    /// Somebody opened the desk, pressed a key, clicked or pasted.
    pub(crate) fn touched(&mut self, context: &mut Context) {
        self.touched_at = Some(context.moment);
        if self.noted_at.is_none_or(|noted| context.moment.since(noted) >= HERE) {
            self.note(context);
        }
    }

    fn note(&mut self, context: &mut Context) {
        if context.settings.away > 0 {
            self.noted_at = Some(context.moment);
            context.push(FileWrite::NotePresence(context.settings.away));
        }
    }

    /// The desk ends: who has just pressed a key leaves now.
    pub(crate) fn left(&mut self, context: &mut Context) {
        if self.touched_at.take().is_some_and(|moment| context.moment.since(moment) < HERE) {
            self.note(context);
        }
    }

    /// Notes that somebody was here for a while after the last key, and reads
    /// anew what is shown or offered of an absence.
    pub(crate) fn follow(&mut self, desk: &Desk, context: &mut Context) {
        if self.due().is_some_and(|due| due <= context.moment) {
            let touched = self.touched_at.take();
            // After a sleep of the machine nobody knows who was here.
            if touched.is_some_and(|moment| context.moment.since(moment) < 2 * HERE) {
                self.note(context);
            }
        }
        let wanted = listing::shows_list(context, ListKind::Since) || offers::offers_digest(context);
        if wanted && std::mem::take(&mut self.stale) {
            context.push(Effect::Load(digest_of(desk)));
        }
    }

    /// Somebody is here again.
    pub(crate) fn returned(&mut self, absence: Absence, context: &mut Context) {
        self.digest = Some(Digest { absence: Some(absence), ..Digest::default() });
        (self.stale, self.announces, self.chosen) = (true, true, 0);
        offers::offer_digest(context);
    }

    /// What happened has come; that something did is said once.
    pub(crate) fn digest_loaded(&mut self, digest: Digest, context: &mut Context) {
        offers::count_digest(context, digest.entries.len());
        if let Some(absence) = digest.absence.filter(|_| self.announces && !digest.entries.is_empty()) {
            self.announces = false;
            let away = format_short_span(absence.until.since(absence.from));
            let words = context.keyed("{since} shows what happened since");
            context.say(format!("you were away {away}: {words}"));
        }
        self.digest = Some(digest);
    }

    /// The title of the list.
    pub(crate) fn digest_title(&self, context: &Context) -> String {
        let Some(digest) = &self.digest else { return "Since you left".to_owned() };
        let Some(absence) = digest.absence else { return "Since you left".to_owned() };
        let zone = &context.settings.zone;
        let clock = absence.from.hour_and_minute(zone);
        let left = match absence.from.day_number(zone) == context.now.day_number(zone) {
            true => format!("at {clock}"),
            false => format!("{} {clock}", absence.from.day_name(zone)),
        };
        let more = if digest.more { " · and more" } else { "" };
        format!("Since you left {left} · away {}{more}", format_short_span(absence.until.since(absence.from)))
    }

    /// What the list says without a line.
    pub(crate) fn digest_empty(&self, context: &Context) -> &'static str {
        match &self.digest {
            _ if context.settings.away == 0 => {
                "This desk does not note when you leave: away_minutes is 0 in [ui]."
            }
            Some(digest) if digest.absence.is_some() => "Nothing happened since you left that needs you.",
            _ => "You were not away yet.",
        }
    }

    pub(crate) fn digest_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let entries = self.digest.iter().flat_map(|digest| &digest.entries);
        entries.map(|entry| line(entry, desk, context)).collect()
    }
}

/// Asks for what happened in all tabs.
fn digest_of(desk: &Desk) -> Load {
    Load::Digest(desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect())
}

/// Opens the list, on the line that was gone to last.
pub(crate) fn show_digest(inbox: &mut Inbox) {
    offers::end_digest_offer(&mut inbox.context);
    inbox.features.absence.announces = false;
    let chosen = inbox.features.absence.chosen;
    inbox.context.open(ListOverlay { kind: ListKind::Since, chosen });
    inbox.context.push(Effect::Load(digest_of(&inbox.desk)));
}

/// Goes to where the chosen line is looked into.
pub(crate) fn go_to(inbox: &mut Inbox, chosen: usize) -> KeyOutcome {
    let digest = inbox.features.absence.digest.as_ref();
    let Some(entry) = digest.and_then(|digest| digest.entries.get(chosen)) else { return KeyOutcome::Stay };
    let place = entry.place.clone();
    inbox.features.absence.chosen = chosen;
    match place {
        DigestPlace::Conversation(key) => {
            inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        DigestPlace::Outbox => pages::go_to_page(inbox, PageKind::Outbox),
        DigestPlace::Broadcasts => pages::go_to_page(inbox, PageKind::Broadcasts),
        DigestPlace::Nowhere => return KeyOutcome::Stay,
    }
    KeyOutcome::Done
}

fn line(entry: &DigestEntry, desk: &Desk, context: &Context) -> ListLine {
    let now = context.now;
    let (words, at) = words(&entry.fact, now);
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == entry.channel && desk.tabs.len() > 1);
    let right = [tab.map(|tab| tab.channel.name.clone()), at.map(|time| format_short_span(now.since(time)))];
    ListLine {
        name: entry.title.clone(),
        words: SafeText::line(&words),
        right: right.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        loud: is_loud(&entry.fact),
        dim: matches!(entry.fact, DigestFact::Left { .. }),
        goes_to: None,
    }
}

/// Whether a person has something to do.
fn is_loud(fact: &DigestFact) -> bool {
    match fact {
        DigestFact::Waits(_) | DigestFact::Asks { .. } | DigestFact::Undelivered(_) => true,
        DigestFact::Waves(it) => it.phase == CampaignPhase::Paused,
        DigestFact::Fails(_)
        | DigestFact::Paused { .. }
        | DigestFact::GivenUp { .. }
        | DigestFact::Left { .. } => false,
    }
}

/// What is said of it, and since when it is so.
fn words(fact: &DigestFact, now: Timestamp) -> (String, Option<Timestamp>) {
    match fact {
        DigestFact::Waits(row) => {
            let waits = row.waiting_since.map(|_| "waits".to_owned());
            let paused = row.paused.as_ref().map(|(by, _)| paused_by(by));
            let parts = [waits, asks_for(row), paused].into_iter().flatten().collect::<Vec<_>>();
            let words = format!("{}: {}", parts.join(", "), row.conversation.preview);
            (words, row.waiting_since.or(row.conversation.last_message_at))
        }
        DigestFact::Fails(row) => {
            let why = row.describe_trouble(now).unwrap_or_else(|| row.conversation.preview.to_string());
            (format!("AI fails: {why}"), row.conversation.last_message_at)
        }
        DigestFact::Paused { by, at } => (paused_by(by), Some(*at)),
        DigestFact::Waves(it) if it.phase == CampaignPhase::Paused => (waves::describe_pause(it), None),
        DigestFact::Waves(it) => {
            let counts = it.counts();
            (format!("broadcast finished: {} delivered, {} failed", counts.delivered, counts.failed), None)
        }
        DigestFact::Undelivered(text) => (format!("was not delivered: {text}"), None),
        DigestFact::Asks { what, why } => (format!("needs you: {why}: {what}"), None),
        DigestFact::GivenUp { operation, why } => (format!("{} given up: {why}", noun(operation)), None),
        DigestFact::Left { operation } => (format!("{} left", noun(operation)), None),
    }
}

/// Why the AI asks for a person.
fn asks_for(row: &ConversationRow) -> Option<String> {
    match &row.conversation.escalation {
        Escalation::Requested(why) if why.is_empty() => Some("the AI asks for a person".to_owned()),
        Escalation::Requested(why) => Some(format!("the AI asks for a person ({why})")),
        Escalation::Unknown | Escalation::None => None,
    }
}

fn paused_by(by: &SafeText) -> String {
    if by.is_empty() { "AI paused from this desk".to_owned() } else { format!("AI paused by {by}") }
}

/// What an operation is called, by the word the outbox keeps of it.
fn noun(operation: &SafeText) -> &str {
    match operation.as_str() {
        "send" => "text",
        "send-content" => "message",
        "sms" => "SMS",
        word => word,
    }
}
