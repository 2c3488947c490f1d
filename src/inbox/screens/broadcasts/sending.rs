//! From an audience to a broadcast that has begun: opening the form, looking
//! up whom it comes to, its keys, and taking it back while it is held.

use crate::Inbox;
use crate::availability::tab_writable;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::broadcasts::availability;
use crate::screens::broadcasts::flight::Flight;
use crate::screens::broadcasts::form::{BroadcastField, BroadcastForm, BroadcastKind};
use crate::screens::broadcasts::{BroadcastOrder, BroadcastQuery};
use crate::screens::people::marking::Marked;
use model::fetches::{Fetch, FetchResult, Fetching};
use model::ids::{CampaignId, ChannelId};
use model::time::SECOND;
use model::waves::NewCampaign;
use model::waves::audience::{AudienceQuery, AudienceSource, ResolvedAudience};

/// Contacts that are not known here and asked for one by one at most.
const ASKED: usize = 50;

impl Inbox {
    /// The people that are marked, or the chosen one.
    pub(crate) fn marked_people(&self) -> Result<AudienceSource, String> {
        let people = &self.people;
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

    /// The recipients: the marked conversations, or the selected one.
    pub(crate) fn marked_conversations(&self) -> Result<AudienceSource, String> {
        let channel = self.tab().channel.id.clone();
        let marked: Vec<_> =
            self.list().marks.keys().into_iter().filter(|it| it.channel == channel).collect();
        if !marked.is_empty() {
            return Ok(AudienceSource::Conversations(marked));
        }
        let row = self.at_hand().ok_or("no conversation is selected")?;
        Ok(AudienceSource::Conversations(vec![row.key()]))
    }

    /// The recipients of the unfinished form.
    pub(crate) fn kept_source(&self) -> Result<AudienceSource, String> {
        match &self.board.kept {
            Some(kept) if kept.query.channel == self.tab().channel.id => Ok(kept.query.source.clone()),
            Some(_) | None => Err(self.keyed(
                "nobody is chosen: mark people ({go-to-people}) or conversations, then {broadcast}; \
                 :broadcast file PATH or :broadcast everyone",
            )),
        }
    }

    /// Opens the form for these.
    pub(crate) fn open_broadcast(&mut self, source: Result<AudienceSource, String>) {
        match source {
            Ok(source) => {
                let query = AudienceQuery { channel: self.tab().channel.id.clone(), source };
                self.open_broadcast_form(query);
            }
            Err(why) => self.warn(why),
        }
    }

    /// Opens the form for an audience, with what was filled in and not sent.
    pub(crate) fn open_broadcast_form(&mut self, query: AudienceQuery) {
        let channel = query.channel.clone();
        self.context.push(Effect::Load(Load::Templates(channel.clone())));
        self.context.push(Effect::Fetch(channel.clone(), Fetch::Templates));
        self.context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query.clone()))));
        // The server may look for words elsewhere than this desk does: all of
        // its people are read, and looked through here.
        if matches!(query.source, AudienceSource::Fitting(_) | AudienceSource::Everyone) {
            self.context.push(Effect::Fetch(channel, Fetch::People { search: String::new(), more: false }));
        }
        let kept = self.board.kept.take().map(|it| *it);
        self.open_layer(Layer::BroadcastForm(Box::new(BroadcastForm::new(query, kept))));
    }

    /// `:broadcast everyone`, `:broadcast file PATH`, `:broadcast track ID`
    pub(crate) fn broadcast_line(&mut self, words: &str) -> Result<(), String> {
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        availability::broadcasts(self)?;
        let source = match (word, rest.trim()) {
            ("track", "") => return Err("broadcast track needs the broadcast's id".to_owned()),
            ("track", id) => return self.track(id),
            ("everyone", "") => AudienceSource::Everyone,
            ("file", "") => {
                return Err("broadcast file needs the path of a file: an id or number a line".to_owned());
            }
            ("file", path) => AudienceSource::File(path.to_owned()),
            _ => return Err(format!("broadcast takes everyone, file PATH or track ID, not {words:?}")),
        };
        tab_writable(self.tab())?;
        let query = AudienceQuery { channel: self.tab().channel.id.clone(), source };
        self.open_broadcast_form(query);
        Ok(())
    }

    /// Whether a form of a broadcast lies open.
    pub(crate) fn fills_broadcast(&self) -> bool {
        self.layers.iter().any(|it| matches!(it, Layer::BroadcastForm(_)))
    }

    /// The form that lies open, wherever it is.
    fn audience_form(&mut self) -> Option<&mut BroadcastForm> {
        self.layers.iter_mut().rev().find_map(|it| match it {
            Layer::BroadcastForm(form) => Some(form.as_mut()),
            _ => None,
        })
    }

    /// Whom an audience comes to was looked up.
    pub(crate) fn audience_found(&mut self, query: &AudienceQuery, found: Result<ResolvedAudience, String>) {
        let Some(form) = self.audience_form().filter(|it| it.query == *query) else { return };
        let first = form.found.is_none();
        match found {
            Ok(found) => {
                let unread: Vec<String> = found.unread.iter().take(ASKED).cloned().collect();
                form.receive(found);
                // Who is no contact here may be one of the server's.
                if first {
                    let ask = |phone| Effect::Fetch(query.channel.clone(), Fetch::Person { phone });
                    self.context.effects.extend(unread.into_iter().map(ask));
                }
            }
            Err(why) => {
                // With nobody to go to there is nothing to fill in.
                if first {
                    self.layers
                        .retain(|it| !matches!(it, Layer::BroadcastForm(form) if form.query == *query));
                }
                self.warn(format!("the audience: {why}"));
            }
        }
    }

    /// A fetch that may tell more of the audience has ended.
    pub(crate) fn audience_fetched(&mut self, channel: &ChannelId, fetch: &Fetch, fetched: &Fetching) {
        let Some(form) = self.audience_form().filter(|it| it.query.channel == *channel) else { return };
        let query = form.query.clone();
        match (fetch, fetched) {
            (Fetch::People { search, .. }, Ok(FetchResult::People { more })) if form.walking => {
                form.walking = *more;
                if *more {
                    let search = search.clone();
                    self.context.push(Effect::Fetch(channel.clone(), Fetch::People { search, more: true }));
                }
                self.context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))));
            }
            (Fetch::People { .. }, Err(why)) if form.walking => {
                let why = format!("the server's contacts could not all be read: {why}");
                self.warn(why);
            }
            (Fetch::Person { .. }, Ok(_)) => {
                self.context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Audience(query))))
            }
            _ => (),
        }
    }

    /// A key in the form.
    pub(crate) fn broadcast_form_key(&mut self, mut form: Box<BroadcastForm>, key: KeyPress) {
        let count = form.fields().len();
        let at = form.focus.min(count - 1);
        match key.code {
            KeyCode::Esc => {
                self.board.kept = Some(form);
                return self.say(self.keyed("the form is kept; {broadcast} goes on with it"));
            }
            KeyCode::Char('x') if key.ctrl => return self.check_flight(form),
            KeyCode::Enter if at + 1 == count => return self.check_flight(form),
            KeyCode::Tab | KeyCode::Down | KeyCode::Enter => form.focus = (at + 1) % count,
            KeyCode::BackTab | KeyCode::Up => form.focus = (at + count - 1) % count,
            KeyCode::Right | KeyCode::Char(' ') if form.at_hand() == BroadcastField::Kind => form.turn(1),
            KeyCode::Left if form.at_hand() == BroadcastField::Kind => {
                form.turn(BroadcastKind::ALL.len() - 1)
            }
            KeyCode::Char(letter) if form.at_hand() == BroadcastField::Kind => {
                if let Some(kind) = BroadcastKind::ALL.into_iter().find(|it| it.word().starts_with(letter)) {
                    // Text and template begin alike: the same letter goes on.
                    let next =
                        if form.kind == kind && letter == 't' { BroadcastKind::Template } else { kind };
                    form.kind = next;
                }
            }
            _ => {
                if let Some(line) = form.line_mut() {
                    line.key(key);
                }
            }
        }
        self.find_template(&mut form);
        self.layers.push(Layer::BroadcastForm(form));
    }

    /// Text was pasted into the form.
    pub(crate) fn paste_into_broadcast(&mut self, mut form: Box<BroadcastForm>, text: &str) {
        if let Some(line) = form.line_mut() {
            line.insert(&text.trim_end().replace('\n', "\\n"));
        }
        self.find_template(&mut form);
        self.layers.push(Layer::BroadcastForm(form));
    }

    /// The template its letters find.
    fn find_template(&self, form: &mut BroadcastForm) {
        if form.kind != BroadcastKind::Template {
            return;
        }
        let tab = self.tabs.iter().find(|it| it.channel.id == form.query.channel);
        let found = tab.and_then(|it| it.found_templates(form.template_letters()).first().copied().cloned());
        form.choose(found.as_ref());
    }

    /// Looks the form over, or says what is missing.
    fn check_flight(&mut self, form: Box<BroadcastForm>) {
        let ready = form.content().and_then(|content| Ok((content, form.aim()?, form.plan()?)));
        match ready {
            Ok((content, aim, plan)) => {
                let hold = self.context.settings.broadcast_hold;
                let new = NewCampaign { channel: form.query.channel.clone(), content, aim, plan, hold };
                let flight = Flight { form: *form, new, typed: TextLine::default(), wrong: false };
                self.open_layer(Layer::Flight(Box::new(flight)));
            }
            Err(why) => {
                self.warn(format!("not yet: {why}"));
                self.layers.push(Layer::BroadcastForm(form));
            }
        }
    }

    /// Lets it go: from the commit on it goes on by itself.
    pub(crate) fn begin_broadcast(&mut self, flight: Flight) {
        let before = self.quality_now();
        self.board.kept = Some(Box::new(flight.form));
        self.context.push(Effect::Campaign(BroadcastOrder::Begin(Box::new(flight.new), before)));
    }

    /// It is on disk; as long as it is held it can be taken back.
    pub(crate) fn broadcast_begun(&mut self, new: NewCampaign, id: CampaignId) {
        let until = self.context.now.plus(new.hold);
        let words = format!("began a broadcast to {}", new.aim.count());
        self.note_done(new.channel, &words, UndoTarget::Campaign(id.clone(), until));
        self.people.marked = Marked::default();
        self.board.choose = Some(id);
        self.go_to_board();
        self.say(match new.hold / SECOND {
            0 => "the broadcast has begun".to_owned(),
            seconds => {
                self.keyed(&format!("held {seconds} s, {{undo}} takes it back; then the first wave leaves"))
            }
        });
    }
}
