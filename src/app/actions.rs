//! What commands do: moving, opening, taking over, sending, closing.
//!
//! Knows nothing of which key asked, but for the digit of a tab.

use crate::app::App;
use crate::app::bulk::Wish;
use crate::app::commands::Command;
use crate::app::composer::Mode;
use crate::app::event::{Effect, Load};
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::Layer;
use crate::app::listing::ListKind;
use crate::app::notice::Fact;
use crate::app::pages::Page;
use crate::app::tab::{Focus, Tab};
use crate::model::filter::Sort;
use crate::model::time::SECOND;

/// How long the first Ctrl-C waits for the second.
pub(super) const INTERRUPT: i64 = 2 * SECOND;

impl App {
    /// Performs a command whose key was pressed and that can be done. Those of
    /// the composer are performed where its keys are read.
    pub(super) fn perform(&mut self, command: Command, key: Key, effects: &mut Vec<Effect>) {
        self.takes(command, key, effects);
    }

    /// Performs a command; false if it is none of these. Each group takes
    /// those it names; what mail and connections take comes first.
    fn takes(&mut self, command: Command, key: Key, effects: &mut Vec<Effect>) -> bool {
        self.mail_command(command, effects)
            || self.connection_command(command, effects)
            || self.conversation_command(command, effects)
            || self.keeping_command(command, effects)
            || self.mark_command(command, effects)
            || self.reading_command(command, effects)
            || self.list_command(command, effects)
            || self.finding_command(command)
            || self.history_command(command)
            || self.rows_command(command, effects)
            || self.going_command(command, key)
            || self.people_command(command, effects)
            || self.webhook_command(command, effects)
            || self.broadcast_command(command, effects)
            || self.travel_command(command)
            || self.copy_command(command, effects)
            || self.view_command(command, effects)
            || self.desk_command(command, effects)
    }

    /// Commands that do something to conversations, or go to another.
    fn conversation_command(&mut self, command: Command, effects: &mut Vec<Effect>) -> bool {
        use Command as C;
        match command {
            C::Reply if self.window_is_closed() => self.pick_template(effects),
            C::Template => self.pick_template(effects),
            C::Reply => self.write(true, effects),
            C::Write => self.write(false, effects),
            C::WriteNumber => self.ask_number(),
            C::Call => self.ask_call(),
            C::PauseAi if self.acts_on_marks() => self.act_on_marked(Wish::Pause, effects),
            C::HandBack if self.acts_on_marks() => self.act_on_marked(Wish::HandBack, effects),
            C::Close | C::CloseAndNext if self.acts_on_marks() => self.act_on_marked(Wish::Close, effects),
            C::WriteNote => self.write_note(effects),
            C::Canned => self.canned(effects),
            C::PauseAi => self.switch_ai(false, effects),
            C::HandBack => self.switch_ai(true, effects),
            C::Close => self.close(effects),
            C::CloseAndNext => {
                self.close(effects);
                self.next_waiting(true, effects);
            }
            C::React => self.pick_reaction(),
            C::RemoveReaction => self.remove_reaction(effects),
            C::NextWaiting | C::PreviousWaiting => self.next_waiting(command == C::NextWaiting, effects),
            C::MostUrgent => effects.push(Effect::Load(Load::Needing(None))),
            C::NextConversation => self.neighbour(1, effects),
            C::PreviousConversation => self.neighbour(-1, effects),
            _ => return false,
        }
        true
    }

    /// Commands about the desk itself, its panes and its connection.
    fn desk_command(&mut self, command: Command, effects: &mut Vec<Effect>) -> bool {
        use Command as C;
        match command {
            C::Undo => self.undo(effects),
            C::Back => self.tab_mut().focus = Focus::List,
            C::NextPane => self.turn_pane(1, effects),
            C::PreviousPane => self.turn_pane(-1, effects),
            C::Refresh => self.ask_server(effects),
            C::Redraw => effects.push(Effect::Redraw),
            C::Suspend => effects.push(Effect::Suspend),
            C::Help => self.open_layer(Layer::Help(Box::default())),
            C::Quit => self.ask_quit(effects),
            C::Interrupt => self.interrupt(effects),
            _ => return false,
        }
        true
    }

    /// Commands that go to a page or a tab.
    fn going_command(&mut self, command: Command, key: Key) -> bool {
        use Command as C;
        match command {
            C::GoToInbox => self.go_to_page(Page::Inbox),
            C::GoToOutbox => self.go_to_page(Page::Outbox),
            C::GoToDrafts => self.go_to_page(Page::Drafts),
            C::GoToPeople => self.go_to_page(Page::People),
            C::NextTab => self.go_to_tab((self.active + 1) % self.tabs.len()),
            C::PreviousTab => self.go_to_tab((self.active + self.tabs.len() - 1) % self.tabs.len()),
            C::GoToAll => self.go_everywhere(),
            C::GoToTab => self.numbered_tab(key),
            C::GoToEvents => self.go_to_page(Page::Events),
            C::GoToWebhooks => self.go_to_page(Page::Webhooks),
            C::GoToTemplates => self.go_to_page(Page::Templates),
            C::GoToAccount => self.go_to_page(Page::Account),
            C::GoToPhone => self.go_to_phone(),
            C::GoToWall => self.go_to_wall(),
            _ => return false,
        }
        true
    }

    /// Commands that show more of what is at hand.
    fn reading_command(&mut self, command: Command, effects: &mut Vec<Effect>) -> bool {
        use Command as C;
        match command {
            C::ShowPicture => self.toggle_picture(effects),
            C::Card => self.card = Some(self.areas().card.is_none()),
            C::Raw => self.raw(effects),
            C::Pipe => self.open_pipe(),
            C::OpenOutside => self.ask_open(),
            C::Elsewhere => self.look_elsewhere(effects),
            C::GoToQuoted => self.go_to_quoted(),
            _ => return false,
        }
        true
    }

    /// Commands about what this desk alone keeps.
    fn keeping_command(&mut self, command: Command, effects: &mut Vec<Effect>) -> bool {
        use Command as C;
        match command {
            C::Snooze => self.ask_snooze(effects),
            C::Claim => self.claim(effects),
            C::Unseen => self.turn_seen(effects),
            C::Tags => self.ask_tags(effects),
            C::MarkNone => self.mark_none(),
            C::GoToSnoozed => self.show_snoozed(),
            C::ShowPaused => self.show_paused(effects),
            C::ShowCredits => self.show_credits(effects),
            C::ShowCalls => self.show_calls(effects),
            C::CopyCurl => self.copy_newest_call(effects),
            C::ShowDone => {
                self.ask_fates_of_done(effects);
                self.show_list(ListKind::Done);
            }
            C::ShowResults => self.show_list(ListKind::Results),
            C::ShowUnreadable => self.show_unreadable(),
            C::LastPlace => self.go_back(effects),
            C::Repeat => self.repeat(),
            C::PlayMacro => self.open_layer(Layer::Macros { chosen: 0, records: false }),
            C::RecordMacro => self.record(effects),
            C::TakeOffer => self.take_offer(effects),
            C::KeepBeside => self.keep_beside(),
            C::SwapBeside => self.swap_beside(effects),
            _ => return false,
        }
        true
    }

    /// Commands that find: in a history, in everything, in the list.
    fn finding_command(&mut self, command: Command) -> bool {
        use Command as C;
        match command {
            C::FindInHistory => self.open_find(),
            C::SearchRows => self.open_row_search(),
            C::OlderHit | C::NewerHit => self.next_hit(command == C::OlderHit),
            C::SearchAll => self.open_search(""),
            C::OpenPalette => self.open_palette(),
            C::ShowActions => self.open_actions(),
            C::CommandLine => self.open_command_line(),
            C::FilterList => self.open_filter(),
            C::ChooseView => self.choose_view(),
            C::SortByActivity => self.sort(Sort::Activity),
            C::SortByWaiting => self.sort(Sort::Waiting),
            C::SortByWindow => self.sort(Sort::Window),
            C::SortByName => self.sort(Sort::Name),
            C::SortByCategory => self.sort(Sort::Category),
            C::SortByPriority => self.sort(Sort::Priority),
            _ => return false,
        }
        true
    }

    fn list_command(&mut self, command: Command, effects: &mut Vec<Effect>) -> bool {
        let visible = self.list_rows(&self.areas());
        match command {
            Command::Down => self.list_mut().step(1, visible),
            Command::Up => self.list_mut().step(-1, visible),
            Command::Open => self.open(Focus::History, effects),
            _ => return false,
        }
        true
    }

    /// Goes into the selected conversation.
    pub(super) fn open(&mut self, focus: Focus, effects: &mut Vec<Effect>) {
        if self.tab().focus == Focus::List
            && let Some(selected) = self.list().selected.clone()
        {
            self.show(&selected, effects);
        }
        let tab = self.tab_mut();
        if let Some(history) = &mut tab.history {
            history.opened = true;
            tab.focus = focus;
        }
    }

    /// Goes into the composer, quoting the selected message if asked to.
    fn write(&mut self, quote: bool, effects: &mut Vec<Effect>) {
        // An SMS quotes nothing.
        let from_history = self.tab().focus == Focus::History && !self.tab().is_phone();
        self.open(Focus::Composer, effects);
        let tab = self.tab_mut();
        let quoted = match &tab.history {
            Some(history) if quote && from_history && history.selected.is_some() => {
                history.selected_message().map(|it| it.message.id.clone())
            }
            _ => None,
        };
        let Some(composer) = &mut tab.composer else { return };
        composer.mode = Mode::Reply;
        composer.reply_to = quoted.or(composer.reply_to.take());
    }

    fn history_command(&mut self, command: Command) -> bool {
        let history = self.tab_mut().history.as_mut();
        match command {
            Command::MessageDown => history.into_iter().for_each(|it| it.step(1)),
            Command::MessageUp => history.into_iter().for_each(|it| it.step(-1)),
            Command::FirstUnseen => {
                if history.is_some_and(|it| !it.go_to_divider()) {
                    self.say("nothing new since you looked");
                }
            }
            _ => return false,
        }
        true
    }

    /// Reads the next or previous conversation of the list.
    fn neighbour(&mut self, rows: isize, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        self.list_mut().step(rows, visible);
        self.go_to_selected(effects);
    }

    /// Opens the selected row while reading.
    pub(super) fn go_to_selected(&mut self, effects: &mut Vec<Effect>) {
        let focus = if self.tab().focus == Focus::List { Focus::List } else { Focus::History };
        let Some(selected) = self.list().selected.clone() else { return };
        self.take_up(&selected.channel);
        if focus == Focus::History {
            self.show(&selected, effects);
            if let Some(history) = &mut self.tab_mut().history {
                history.opened = true;
            }
        }
        self.tab_mut().focus = focus;
    }

    fn turn_pane(&mut self, by: isize, effects: &mut Vec<Effect>) {
        let order = [Focus::List, Focus::History, Focus::Composer];
        let tab = self.tab();
        if !self.is_inbox_shown() {
            return self.say("this page has one pane");
        }
        let at = order.iter().position(|it| *it == tab.focus).unwrap_or(0);
        let next = order[(at + 3).saturating_add_signed(by) % 3];
        match next {
            Focus::List => self.tab_mut().focus = Focus::List,
            _ => self.open(next, effects),
        }
    }

    fn numbered_tab(&mut self, key: Key) {
        let KeyCode::Char(digit) = key.code else { return };
        let number = digit.to_digit(10).and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        if (1..=self.tabs.len()).contains(&number) {
            self.go_to_tab(number - 1);
        } else {
            self.warn(format!("there is no tab {number}"));
        }
    }

    fn interrupt(&mut self, effects: &mut Vec<Effect>) {
        let again = self.interrupted_at.is_some_and(|at| self.now.since(at) < INTERRUPT);
        if again {
            return self.quit(effects);
        }
        self.interrupted_at = Some(self.now);
        self.state(Fact::Interrupted);
    }

    /// Quits, after saying what is left open.
    fn ask_quit(&mut self, effects: &mut Vec<Effect>) {
        let sum = |count: fn(&Tab) -> u32| self.tabs.iter().map(count).sum::<u32>();
        let (outbox, stopped, paused) =
            (sum(|it| it.counts.outbox), sum(|it| it.counts.stopped), sum(|it| it.counts.paused_here));
        let mut open = Vec::new();
        if outbox > 0 {
            open.push(format!("{outbox} not yet sent; kept on disk, leaves when frontdesk runs again"));
        }
        if stopped > 0 {
            open.push(format!("{stopped} stopped on the way out; kept for your decision"));
        }
        match sum(|it| it.counts.broadcasts) {
            0 => (),
            1 => open.push("1 broadcast has waves left: none leaves until frontdesk runs again".to_owned()),
            many => open
                .push(format!("{many} broadcasts have waves left: none leaves until frontdesk runs again")),
        }
        if paused > 0 {
            let people = if paused == 1 { "1 conversation" } else { &format!("{paused} conversations") };
            open.push(format!("the AI is paused by you in {people}: no one answers there"));
        }
        let drafts = self.unsaved_drafts();
        match drafts {
            0 => (),
            1 => open.push("1 draft could not be put on disk: quitting loses it".to_owned()),
            _ => open.push(format!("{drafts} drafts could not be put on disk: quitting loses them")),
        }
        if open.is_empty() { self.quit(effects) } else { self.open_layer(Layer::AskQuit { open, paused }) }
    }

    /// Leaves, keeping every draft.
    pub(super) fn quit(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.leave());
        effects.push(Effect::Quit);
    }
}

#[cfg(test)]
mod tests {
    use super::Command as C;
    use super::*;
    use crate::app::commands::{Place, TABLE};
    use crate::app::settings::{ChannelInfo, Settings};
    use crate::model::time::Timestamp;

    #[test]
    fn every_command_is_somebodys() {
        let channel = ChannelInfo {
            id: "harbor".into(),
            name: "Harbor chat".to_owned(),
            environment: None,
            read_only: false,
        };
        let now = Timestamp::from_micros(1_700_000_000 * SECOND);
        let left =
            TABLE.iter().filter(|it| !matches!(it.place, Place::Composer | Place::Triage)).filter(|it| {
                let mut app = App::new(vec![channel.clone()], Settings::default(), (120, 40), now);
                !app.takes(it.command, Key::plain(KeyCode::Char('1')), &mut Vec::new())
            });
        let of_mail = [
            C::ReplyAll,
            C::Forward,
            C::Triage,
            C::Star,
            C::SetCategory,
            C::HtmlView,
            C::QuotedText,
            C::OpenInBrowser,
            C::SaveFile,
            C::MailFolders,
            C::MailContacts,
        ];
        assert_eq!(left.map(|it| it.command).collect::<Vec<_>>(), of_mail);
    }
}
