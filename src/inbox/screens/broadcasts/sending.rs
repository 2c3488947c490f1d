//! From an audience to a broadcast that has begun: opening the form, looking
//! up its recipients, its keys, and taking it back while it is held.

use crate::Inbox;
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::conditions::tab_writable;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::broadcasts::commands;
use crate::screens::broadcasts::flight::Flight;
use crate::screens::broadcasts::form::{BroadcastField, BroadcastForm, BroadcastKind};
use crate::screens::broadcasts::steering;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::broadcasts::{BroadcastOrder, BroadcastQuery};
use crate::screens::people::People;
use crate::screens::people::marking::Marked;
use model::fetches::{Fetch, FetchOutcome, FetchResult};
use model::ids::{CampaignId, ChannelId};
use model::time::SECOND;
use model::waves::NewCampaign;
use model::waves::audience::{AudienceQuery, AudienceSource, ResolvedAudience};

/// Contacts that are not known here and asked for one by one at most.
const ASKED: usize = 50;

impl Overlay for BroadcastForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.fields().len();
        self.focus = self.focus.min(count - 1);
        let is_last = self.focus + 1 == count;
        let checks = key.ctrl && key.code == KeyCode::Char('x');
        match FormKey::of(key, &mut self.focus, 0..count) {
            FormKey::Leave => {
                inbox.broadcasts.kept = Some(Box::new(self.clone()));
                inbox.context.say(inbox.context.keyed("the form is kept; {broadcast} goes on with it"));
                return KeyOutcome::Done;
            }
            FormKey::Submit if is_last => return self.check(inbox),
            FormKey::Field if checks => return self.check(inbox),
            FormKey::Submit => self.focus += 1,
            FormKey::Moved => (),
            FormKey::Field if self.active_field() == BroadcastField::Kind => self.choose_kind(key),
            FormKey::Field => {
                if let Some(line) = self.line_mut() {
                    line.key(key);
                }
            }
        }
        inbox.desk.find_template(self);
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        if self.active_field() == BroadcastField::Kind { OverlayInput::Keys } else { OverlayInput::Text }
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        if let Some(line) = self.line_mut() {
            line.insert(&text.trim_end().replace('\n', "\\n"));
        }
        inbox.desk.find_template(self);
        true
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Templates(_) | Load::Broadcasts(BroadcastQuery::Audience(_)))
    }
}

impl BroadcastForm {
    fn choose_kind(&mut self, key: KeyPress) {
        match key.code {
            KeyCode::Right | KeyCode::Char(' ') => self.turn(1),
            KeyCode::Left => self.turn(BroadcastKind::ALL.len() - 1),
            KeyCode::Char(letter) => {
                if let Some(kind) = BroadcastKind::ALL
                    .into_iter()
                    .find(|broadcast_kind| broadcast_kind.word().starts_with(letter))
                {
                    // Text and template begin alike: the same letter goes on.
                    let goes_on = self.kind == kind && letter == 't';
                    self.kind = if goes_on { BroadcastKind::Template } else { kind };
                }
            }
            _ => (),
        }
    }

    /// Looks the form over, or says what is missing.
    fn check(&self, inbox: &mut Inbox) -> KeyOutcome {
        let ready = self.content().and_then(|content| Ok((content, self.aim()?, self.plan()?)));
        match ready {
            Ok((content, aim, plan)) => {
                let hold = inbox.context.settings.broadcast_hold;
                let new =
                    NewCampaign { channel: self.query.channel.clone(), content, audience: aim, plan, hold };
                let (form, typed) = (self.clone(), TextLine::default());
                // Checked against the balance of now.
                inbox.context.push(SyncOrder::Refresh(new.channel.clone()));
                inbox.context.open(Flight { form, new, typed, wrong: false });
                KeyOutcome::Done
            }
            Err(why) => {
                inbox.context.warn(format!("not yet: {why}"));
                KeyOutcome::Stay
            }
        }
    }
}

impl People {
    /// The people that are marked, or the chosen one.
    pub(crate) fn marked_people(&self) -> Result<AudienceSource, String> {
        let people = self;
        match &people.marked {
            Marked::All(search) => return Ok(AudienceSource::Fitting(search.clone())),
            Marked::These(phones) if !phones.is_empty() => {
                return Ok(AudienceSource::Phones(phones.iter().cloned().collect()));
            }
            Marked::These(_) => (),
        }
        let chosen = people.rows.chosen().ok_or("no person is chosen")?;
        Ok(AudienceSource::Phones(vec![chosen.phone.clone()]))
    }
}

impl Desk {
    /// The recipients: the marked conversations, or the selected one.
    pub(crate) fn marked_conversations(&self) -> Result<AudienceSource, String> {
        let channel = self.tab().channel.id.clone();
        let marked: Vec<_> =
            self.list().marks.keys().into_iter().filter(|key| key.channel == channel).collect();
        if !marked.is_empty() {
            return Ok(AudienceSource::Conversations(marked));
        }
        let row = self.current_conversation().ok_or("no conversation is selected")?;
        Ok(AudienceSource::Conversations(vec![row.key()]))
    }

    /// The template its letters find.
    fn find_template(&self, form: &mut BroadcastForm) {
        if form.kind != BroadcastKind::Template {
            return;
        }
        let tab = self.tabs.iter().find(|tab| tab.channel.id == form.query.channel);
        let found =
            tab.and_then(|tab| tab.found_templates(form.template_letters()).first().copied().cloned());
        form.choose(found.as_ref());
    }
}

impl BroadcastsScreen {
    /// The recipients of the unfinished form.
    pub(crate) fn kept_source(&self, desk: &Desk, context: &Context) -> Result<AudienceSource, String> {
        match &self.kept {
            Some(kept) if kept.query.channel == desk.tab().channel.id => Ok(kept.query.source.clone()),
            Some(_) | None => Err(context.keyed(
                "nobody is chosen: mark people ({go-to-people}) or conversations, then {broadcast}; \
                 :broadcast file PATH or :broadcast everyone",
            )),
        }
    }

    /// Opens the form for these.
    pub(crate) fn open_broadcast(
        &mut self,
        source: Result<AudienceSource, String>,
        desk: &Desk,
        context: &mut Context,
    ) {
        match source {
            Ok(source) => {
                let query = AudienceQuery { channel: desk.tab().channel.id.clone(), source };
                self.open_broadcast_form(query, context);
            }
            Err(why) => context.warn(why),
        }
    }

    /// Opens the form for an audience, with what was filled in and not sent.
    pub(crate) fn open_broadcast_form(&mut self, query: AudienceQuery, context: &mut Context) {
        let channel = query.channel.clone();
        context.push(Effect::Load(Load::Templates(channel.clone())));
        context.push(SyncOrder::Fetch(channel.clone(), Fetch::Templates));
        context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query.clone()))));
        // The server may look for words elsewhere than this desk does: all of
        // its people are read, and looked through here.
        if matches!(query.source, AudienceSource::Fitting(_) | AudienceSource::Everyone) {
            context.push(SyncOrder::Fetch(channel, Fetch::People { search: String::new(), more: false }));
        }
        let kept = self.kept.take().map(|broadcast_form| *broadcast_form);
        context.open(BroadcastForm::new(query, kept));
    }

    /// Lets it go: from the commit on it goes on by itself.
    pub(crate) fn begin_broadcast(&mut self, flight: Flight, desk: &Desk, context: &mut Context) {
        let before = desk.quality_now();
        self.kept = Some(Box::new(flight.form));
        context.push(FileWrite::Campaign(BroadcastOrder::Begin(Box::new(flight.new), before)));
    }
}

/// `:broadcast everyone`, `:broadcast file PATH`, `:broadcast track ID`
pub(crate) fn broadcast_line(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    commands::has_broadcasts(inbox)?;
    let source = match (word, rest.trim()) {
        ("track", "") => return Err("broadcast track needs the broadcast's id".to_owned()),
        ("track", id) => return steering::track(inbox, id),
        ("everyone", "") => AudienceSource::Everyone,
        ("file", "") => {
            return Err("broadcast file needs the path of a file: an id or number a line".to_owned());
        }
        ("file", path) => AudienceSource::File(path.to_owned()),
        _ => return Err(format!("broadcast takes everyone, file PATH or track ID, not {words:?}")),
    };
    tab_writable(inbox.desk.tab())?;
    let query = AudienceQuery { channel: inbox.desk.tab().channel.id.clone(), source };
    inbox.broadcasts.open_broadcast_form(query, &mut inbox.context);
    Ok(())
}

/// It is on disk; as long as it is held it can be taken back.
pub(crate) fn broadcast_begun(inbox: &mut Inbox, new: NewCampaign, id: CampaignId) {
    let until = inbox.context.moment.plus(new.hold);
    let words = format!("began a broadcast to {}", new.audience.count());
    inbox.changes.note_done(new.channel, &words, UndoTarget::Campaign(id.clone(), until), &inbox.context);
    inbox.people.marked = Marked::default();
    inbox.broadcasts.choose = Some(id);
    broadcasts::go_to_board(inbox);
    inbox.context.say(match new.hold / SECOND {
        0 => "the broadcast has begun".to_owned(),
        seconds => inbox
            .context
            .keyed(&format!("held {seconds} s, {{undo}} takes it back; then the first wave leaves")),
    });
}

/// Whether a form of a broadcast lies open.
pub(crate) fn fills_broadcast(context: &Context) -> bool {
    context.layers.of::<BroadcastForm>().next().is_some()
}

/// The form that lies open, wherever it is.
fn audience_form(context: &mut Context) -> Option<&mut BroadcastForm> {
    context.layers.of_mut::<BroadcastForm>().next()
}

/// Takes in the recipients of an audience.
pub(crate) fn audience_found(
    context: &mut Context,
    query: &AudienceQuery,
    found: Result<ResolvedAudience, String>,
) {
    let Some(form) = audience_form(context).filter(|audience_form| audience_form.query == *query) else {
        return;
    };
    let first = form.found.is_none();
    match found {
        Ok(found) => {
            let unread: Vec<String> = found.not_read.iter().take(ASKED).cloned().collect();
            form.receive(found);
            // Who is no contact here may be one of the server's.
            if first {
                let ask = |phone| SyncOrder::Fetch(query.channel.clone(), Fetch::Person { phone });
                context.push_all(unread.into_iter().map(ask));
            }
        }
        Err(why) => {
            // With nobody to go to there is nothing to fill in.
            if first {
                context.layers.retain::<BroadcastForm>(|broadcast_form| broadcast_form.query != *query);
            }
            context.warn(format!("the audience: {why}"));
        }
    }
}

/// A fetch that may tell more of the audience has ended.
pub(crate) fn audience_fetched(
    context: &mut Context,
    channel: &ChannelId,
    fetch: &Fetch,
    fetched: &FetchOutcome,
) {
    let Some(form) = audience_form(context).filter(|audience_form| audience_form.query.channel == *channel)
    else {
        return;
    };
    let query = form.query.clone();
    match (fetch, fetched) {
        (Fetch::People { search, .. }, Ok(FetchResult::People { more })) if form.walking => {
            form.walking = *more;
            if *more {
                let search = search.clone();
                context.push(SyncOrder::Fetch(channel.clone(), Fetch::People { search, more: true }));
            }
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))));
        }
        (Fetch::People { .. }, Err(why)) if form.walking => {
            let why = format!("the server's contacts could not all be read: {why}");
            context.warn(why);
        }
        (Fetch::Person { .. }, Ok(_)) => {
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))))
        }
        _ => (),
    }
}
