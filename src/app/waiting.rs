//! Going to who needs a person: the next in the list, or the most urgent of
//! all tabs.
//!
//! Knows nothing of what makes a conversation urgent; that is
//! `model/urgency.rs`.

use crate::app::App;
use crate::app::event::{Effect, Load};
use crate::app::pages::Page;
use crate::app::tab::Focus;
use crate::model::conversations::ConversationRow;
use crate::model::ids::ChannelId;
use crate::model::urgency;

impl App {
    /// Goes to the next that needs a person: in the rows at hand, else
    /// wherever the store knows one.
    pub(super) fn next_waiting(&mut self, forwards: bool, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        match self.list().next_waiting(forwards) {
            Some(key) => {
                self.list_mut().select(&key, visible);
                self.page = Page::Inbox;
                self.go_to_selected(effects);
            }
            None => {
                let scope = (!self.everywhere).then(|| self.tab().channel.id.clone());
                effects.push(Effect::Load(Load::Needing(scope)));
            }
        }
    }

    /// Who needs a person has been looked up: the most urgent is opened that
    /// is not at hand already.
    pub(super) fn most_urgent(
        &mut self,
        scope: Option<ChannelId>,
        rows: Vec<ConversationRow>,
        effects: &mut Vec<Effect>,
    ) {
        let ranked = urgency::ranked(rows, self.now);
        let current = self.at_hand().map(ConversationRow::key);
        let next = ranked.iter().find(|it| Some(it.key()) != current);
        let Some(next) = next else {
            return match (ranked.is_empty(), scope) {
                (false, _) => self.say("no one else is waiting"),
                (true, Some(_)) => self.say("no one is waiting here"),
                (true, None) => self.say("no one is waiting in any tab"),
            };
        };
        let focus = if self.tab().focus == Focus::List { Focus::List } else { Focus::History };
        let key = next.key();
        let why = urgency::reason(next, self.now);
        let title = next.conversation.title();
        self.visit(&key.channel, &key.conversation, focus, effects);
        self.say(format!("{title}: {why}"));
    }
}
