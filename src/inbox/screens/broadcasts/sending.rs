//! From an audience to a started broadcast: opening the form, looking up its recipients, its keys, and undo
//! while it is held.

use crate::Inbox;
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::conditions::check_tab_writable;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder};
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::broadcasts::BroadcastsScreen;
use crate::screens::broadcasts::commands;
use crate::screens::broadcasts::control;
use crate::screens::broadcasts::form::{BroadcastField, BroadcastForm, BroadcastKind};
use crate::screens::broadcasts::preflight::Preflight;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::broadcasts::{BroadcastQuery, CampaignAction, StartedForm};
use crate::screens::people::People;
use crate::screens::people::marks::MarkedPeople;
use model::fetches::{Fetch, FetchOutcome, FetchResult};
use model::ids::{CampaignId, ChannelId};
use model::time::SECOND;
use model::waves::NewCampaign;
use model::waves::audience::{AudienceQuery, AudienceSource, ResolvedAudience};

/// Maximum number of unknown contacts requested one by one.
const MAX_CONTACT_FETCHES: usize = 50;

impl Overlay for BroadcastForm {
    fn hints(&self, _inbox: &Inbox) -> Option<Vec<(String, String)>> {
        let keys = [("Ctrl-X", "review"), ("Tab", "next"), ("Esc", "back")];
        Some(keys.map(|(key, word)| (key.to_owned(), word.to_owned())).to_vec())
    }

    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.fields().len();
        self.focus = self.focus.min(count - 1);
        let is_last = self.focus + 1 == count;
        let checks = key.ctrl && key.code == KeyCode::Char('x');
        match FormKey::of(key, &mut self.focus, 0..count) {
            FormKey::Leave => {
                inbox.broadcasts.unfinished_form = Some(Box::new(self.clone()));
                inbox.context.show_notice(inbox.context.fill_in_keys("form kept; {broadcast} continue"));
                return KeyOutcome::Done;
            }
            FormKey::Submit if is_last => return self.open_preflight(inbox),
            FormKey::FieldInput if checks => return self.open_preflight(inbox),
            FormKey::Submit => self.focus += 1,
            FormKey::FocusMoved => (),
            FormKey::FieldInput if self.active_field() == BroadcastField::Kind => self.choose_kind(key),
            FormKey::FieldInput => {
                if let Some(line) = self.line_mut() {
                    line.key(key);
                }
            }
        }
        find_template(&inbox.desk, self);
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        if self.active_field() == BroadcastField::Kind { OverlayInput::Keys } else { OverlayInput::Text }
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        if let Some(line) = self.line_mut() {
            line.insert(&text.trim_end().replace('\n', "\\n"));
        }
        find_template(&inbox.desk, self);
        true
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::Templates(_) | Load::Broadcasts(BroadcastQuery::Audience(_)))
    }
}

impl BroadcastForm {
    fn choose_kind(&mut self, key: KeyPress) {
        match key.code {
            KeyCode::Right | KeyCode::Char(' ') => self.cycle_kind(1),
            KeyCode::Left => self.cycle_kind(BroadcastKind::ALL.len() - 1),
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

    /// Opens the review, or shows the first error.
    fn open_preflight(&self, inbox: &mut Inbox) -> KeyOutcome {
        let ready = self.content().and_then(|content| Ok((content, self.campaign_audience()?, self.plan()?)));
        match ready {
            Ok((content, aim, plan)) => {
                let hold = inbox.context.settings.broadcast_hold;
                let new =
                    NewCampaign { channel: self.query.channel.clone(), content, audience: aim, plan, hold };
                let (form, typed) = (self.clone(), TextLine::default());
                // Checked against the balance of now.
                inbox.context.push(SyncOrder::Refresh(new.channel.clone()));
                inbox.context.open(Preflight { form, campaign: new, typed, is_mistyped: false });
                KeyOutcome::Done
            }
            Err(why) => {
                inbox.context.show_warning(format!("not yet: {why}"));
                KeyOutcome::Stay
            }
        }
    }
}

impl People {
    /// The recipients: the marked people, or the selected one.
    pub(crate) fn marked_people(&self) -> Result<AudienceSource, String> {
        let people = self;
        match &people.marked {
            MarkedPeople::All(search) => return Ok(AudienceSource::Fitting(search.clone())),
            MarkedPeople::Phones(phones) if !phones.is_empty() => {
                return Ok(AudienceSource::Phones(phones.iter().cloned().collect()));
            }
            MarkedPeople::Phones(_) => (),
        }
        let chosen = people.rows.chosen().ok_or("no person is selected")?;
        Ok(AudienceSource::Phones(vec![chosen.phone.clone()]))
    }
}

/// The recipients: the marked conversations, or the selected one.
pub(crate) fn marked_conversations(desk: &Desk) -> Result<AudienceSource, String> {
    let channel = desk.tab().channel.id.clone();
    let marked: Vec<_> = desk.list().marks.keys().into_iter().filter(|key| key.channel == channel).collect();
    if !marked.is_empty() {
        return Ok(AudienceSource::Conversations(marked));
    }
    let row = desk.current_conversation().ok_or("no conversation is selected")?;
    Ok(AudienceSource::Conversations(vec![row.key()]))
}

/// Finds the template by its typed letters.
fn find_template(desk: &Desk, form: &mut BroadcastForm) {
    if form.kind != BroadcastKind::Template {
        return;
    }
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == form.query.channel);
    let found = tab.and_then(|tab| tab.search_templates(form.template_query()).first().copied().cloned());
    form.set_template(found.as_ref());
}

impl BroadcastsScreen {
    pub(crate) fn unfinished_source(&self, desk: &Desk, context: &Context) -> Result<AudienceSource, String> {
        match &self.unfinished_form {
            Some(kept) if kept.query.channel == desk.tab().channel.id => Ok(kept.query.source.clone()),
            Some(_) | None => Err(context.fill_in_keys(
                "no recipients: mark people ({go-to-people}) or conversations, then {broadcast}; or \
                 :broadcast file PATH or :broadcast everyone",
            )),
        }
    }

    /// Opens the form for these recipients, or shows the reason against it.
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
            Err(why) => context.show_warning(why),
        }
    }

    /// Opens the form for an audience, with the input of the form before.
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
        let kept = self.unfinished_form.take().map(|broadcast_form| *broadcast_form);
        context.open(BroadcastForm::new(query, kept));
    }

    /// Returns the form of a broadcast started at this desk, if no other was started since.
    pub(crate) fn form_of(&self, campaign: &CampaignId) -> Option<BroadcastForm> {
        let started =
            self.started_form.as_ref().filter(|started| started.campaign.as_ref() == Some(campaign));
        started.map(|started| started.form.clone())
    }

    /// Keeps the form of a broadcast that was undone for the next one.
    pub(crate) fn restore_form(&mut self, campaign: &CampaignId) {
        if let Some(form) = self.form_of(campaign) {
            self.unfinished_form = Some(Box::new(form));
        }
    }

    /// Starts the broadcast; once committed it continues by itself.
    pub(crate) fn start_broadcast(&mut self, flight: Preflight, desk: &Desk, context: &mut Context) {
        let before = control::current_quality(desk);
        self.started_form = Some(Box::new(StartedForm { campaign: None, form: flight.form }));
        context.push(FileWrite::Campaign(CampaignAction::Begin(Box::new(flight.campaign), before)));
    }
}

/// `:broadcast everyone`, `:broadcast file PATH`, `:broadcast track ID`
pub(crate) fn run_broadcast_verb(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    commands::has_broadcasts(inbox)?;
    let source = match (word, rest.trim()) {
        ("track", "") => return Err("broadcast track needs the broadcast's id".to_owned()),
        ("track", id) => return control::track_broadcast(inbox, id),
        ("everyone", "") => AudienceSource::Everyone,
        ("file", "") => {
            return Err("broadcast file needs a path; the file has one id or number per line".to_owned());
        }
        ("file", path) => AudienceSource::File(path.to_owned()),
        _ => return Err(format!("broadcast takes everyone, file PATH or track ID, not {words:?}")),
    };
    check_tab_writable(inbox.desk.tab())?;
    let query = AudienceQuery { channel: inbox.desk.tab().channel.id.clone(), source };
    inbox.broadcasts.open_broadcast_form(query, &mut inbox.context);
    Ok(())
}

/// Records a started broadcast, which can be undone while it is held.
pub(crate) fn record_broadcast_started(inbox: &mut Inbox, new: NewCampaign, id: CampaignId) {
    let until = inbox.context.moment.plus(new.hold);
    let words = format!("began a broadcast to {}", new.audience.count());
    inbox.changes.record_change(new.channel, &words, UndoTarget::Campaign(id.clone(), until), &inbox.context);
    inbox.people.marked = MarkedPeople::default();
    if let Some(started) = &mut inbox.broadcasts.started_form {
        started.campaign = Some(id.clone());
    }
    inbox.broadcasts.pending_selection = Some(id);
    broadcasts::go_to_board(inbox);
    inbox.context.show_notice(match new.hold / SECOND {
        0 => "the broadcast has begun".to_owned(),
        seconds => inbox.context.fill_in_keys(&format!("first wave in {seconds} s · {{undo}} undo")),
    });
}

pub(crate) fn is_broadcast_form_open(context: &Context) -> bool {
    context.overlays.all_of::<BroadcastForm>().next().is_some()
}

/// Returns the open form at any depth of the popups.
fn find_open_form(context: &mut Context) -> Option<&mut BroadcastForm> {
    context.overlays.all_of_mut::<BroadcastForm>().next()
}

pub(crate) fn receive_audience(
    context: &mut Context,
    query: &AudienceQuery,
    found: Result<ResolvedAudience, String>,
) {
    let Some(form) = find_open_form(context).filter(|audience_form| audience_form.query == *query) else {
        return;
    };
    let first = form.audience.is_none();
    match found {
        Ok(found) => {
            let unread: Vec<String> = found.not_read.iter().take(MAX_CONTACT_FETCHES).cloned().collect();
            form.set_audience(found);
            // A person who is no contact here may be one of the server's.
            if first {
                let ask = |phone| SyncOrder::Fetch(query.channel.clone(), Fetch::Person { phone });
                context.push_all(unread.into_iter().map(ask));
            }
        }
        Err(why) => {
            // Without recipients there is nothing to fill in.
            if first {
                context.overlays.retain::<BroadcastForm>(|broadcast_form| broadcast_form.query != *query);
            }
            context.show_warning(format!("the audience: {why}"));
        }
    }
}

/// Handles the end of a fetch that may complete the audience.
pub(crate) fn handle_contact_fetch(
    context: &mut Context,
    channel: &ChannelId,
    fetch: &Fetch,
    fetched: &FetchOutcome,
) {
    let Some(form) = find_open_form(context).filter(|audience_form| audience_form.query.channel == *channel)
    else {
        return;
    };
    let query = form.query.clone();
    match (fetch, fetched) {
        (Fetch::People { search, .. }, Ok(FetchResult::People { more })) if form.is_reading_contacts => {
            form.is_reading_contacts = *more;
            if *more {
                let search = search.clone();
                context.push(SyncOrder::Fetch(channel.clone(), Fetch::People { search, more: true }));
            }
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))));
        }
        (Fetch::People { .. }, Err(why)) if form.is_reading_contacts => {
            let why = format!("could not read all contacts: {why}");
            context.show_warning(why);
        }
        (Fetch::Person { .. }, Ok(_)) => {
            context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))))
        }
        _ => (),
    }
}
