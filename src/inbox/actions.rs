//! What commands do: moving, opening, taking over, sending, closing.

use crate::Inbox;
use crate::commands::Command;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::notice::Fact;
use crate::overlays::Layer;
use crate::overlays::listing::ListKind;
use crate::pages::PageKind;
use crate::screens::composer::ComposerMode;
use crate::screens::conversations::bulk_plan::BulkWish;
use crate::tab::{Focus, Tab};
use model::filter::Sort;
use model::time::SECOND;

/// How long the first Ctrl-C waits for the second.
pub(crate) const INTERRUPT: i64 = 2 * SECOND;

impl Inbox {
    /// Performs a command whose key was pressed and that can be done. Those of
    /// the composer are performed where its keys are read.
    pub(crate) fn perform(&mut self, command: Command, key: KeyPress) {
        self.takes(command, key);
    }

    /// Performs a command; false if it is none of these. Each group takes
    /// those it names; what mail and connections take comes first.
    fn takes(&mut self, command: Command, key: KeyPress) -> bool {
        self.mail_command(command)
            || self.connection_command(command)
            || self.conversation_command(command)
            || self.keeping_command(command)
            || self.mark_command(command)
            || self.reading_command(command)
            || self.list_command(command)
            || self.finding_command(command)
            || self.history_command(command)
            || self.rows_command(command)
            || self.going_command(command, key)
            || self.people_command(command)
            || self.webhook_command(command)
            || self.broadcast_command(command)
            || self.travel_command(command)
            || self.copy_command(command)
            || self.view_command(command)
            || self.desk_command(command)
    }

    /// Commands that do something to conversations, or go to another.
    fn conversation_command(&mut self, command: Command) -> bool {
        use Command as C;
        match command {
            C::Reply if self.window_is_closed() => self.reply_with_template(),
            C::Template => self.pick_template(),
            C::Reply => self.write(true),
            C::Write => self.write(false),
            C::WriteNumber => self.ask_number(),
            C::Call => self.ask_call(),
            C::PauseAi if self.acts_on_marks() => self.act_on_marked(BulkWish::Pause),
            C::HandBack if self.acts_on_marks() => self.act_on_marked(BulkWish::HandBack),
            C::Close | C::CloseAndNext if self.acts_on_marks() => self.act_on_marked(BulkWish::Close),
            C::WriteNote => self.write_note(),
            C::Canned => self.canned(),
            C::PauseAi => self.switch_ai(false),
            C::HandBack => self.switch_ai(true),
            C::Close => self.close(),
            C::CloseAndNext => {
                self.close();
                self.next_waiting(true);
            }
            C::React => self.pick_reaction(),
            C::RemoveReaction => self.remove_reaction(),
            C::NextWaiting | C::PreviousWaiting => self.next_waiting(command == C::NextWaiting),
            C::MostUrgent => self.context.push(Effect::Load(Load::Needing(None))),
            C::NextConversation => self.neighbour(1),
            C::PreviousConversation => self.neighbour(-1),
            _ => return false,
        }
        true
    }

    /// Commands about the desk itself, its panes and its connection.
    fn desk_command(&mut self, command: Command) -> bool {
        use Command as C;
        match command {
            C::Undo => self.undo(),
            C::Back => self.tab_mut().focus = Focus::List,
            C::NextPane => self.turn_pane(1),
            C::PreviousPane => self.turn_pane(-1),
            C::Refresh => self.ask_server(),
            C::Redraw => self.context.push(Effect::Redraw),
            C::Suspend => self.context.push(Effect::Suspend),
            C::Help => self.open_layer(Layer::Help(Box::default())),
            C::Quit => self.ask_quit(),
            C::Interrupt => self.interrupt(),
            _ => return false,
        }
        true
    }

    /// Commands that go to a page or a tab.
    fn going_command(&mut self, command: Command, key: KeyPress) -> bool {
        use Command as C;
        match command {
            C::GoToInbox => self.go_to_page(PageKind::Inbox),
            C::GoToOutbox => self.go_to_page(PageKind::Outbox),
            C::GoToDrafts => self.go_to_page(PageKind::Drafts),
            C::GoToPeople => self.go_to_page(PageKind::People),
            C::NextTab => self.go_to_tab((self.active + 1) % self.tabs.len()),
            C::PreviousTab => self.go_to_tab((self.active + self.tabs.len() - 1) % self.tabs.len()),
            C::GoToAll => self.go_everywhere(),
            C::GoToTab => self.numbered_tab(key),
            C::GoToEvents => self.go_to_page(PageKind::Events),
            C::GoToWebhooks => self.go_to_page(PageKind::Webhooks),
            C::GoToTemplates => self.go_to_page(PageKind::Templates),
            C::GoToAccount => self.go_to_page(PageKind::Account),
            C::GoToPhone => self.go_to_phone(),
            C::GoToWall => self.go_to_wall(),
            _ => return false,
        }
        true
    }

    /// Commands that show more of what is at hand.
    fn reading_command(&mut self, command: Command) -> bool {
        use Command as C;
        match command {
            C::ShowPicture => self.toggle_picture(),
            C::Card => self.card = Some(self.areas().card.is_none()),
            C::Raw => self.raw(),
            C::Pipe => self.open_pipe(),
            C::OpenOutside => self.ask_open(),
            C::Elsewhere => self.look_elsewhere(),
            C::GoToQuoted => self.go_to_quoted(),
            _ => return false,
        }
        true
    }

    /// Commands about what this desk alone keeps.
    fn keeping_command(&mut self, command: Command) -> bool {
        use Command as C;
        match command {
            C::Snooze => self.ask_snooze(),
            C::Claim => self.claim(),
            C::Unseen => self.turn_seen(),
            C::Tags => self.ask_tags(),
            C::MarkNone => self.mark_none(),
            C::GoToSnoozed => self.show_snoozed(),
            C::ShowPaused => self.show_paused(),
            C::ShowCredits => self.show_credits(),
            C::ShowCalls => self.show_calls(),
            C::CopyCurl => self.copy_newest_call(),
            C::ShowDone => {
                self.ask_fates_of_done();
                self.show_list(ListKind::Done);
            }
            C::ShowResults => self.show_list(ListKind::Results),
            C::ShowUnreadable => self.show_unreadable(),
            C::LastPlace => self.go_back(),
            C::Repeat => self.repeat(),
            C::PlayMacro => self.open_layer(Layer::Macros { chosen: 0, records: false }),
            C::RecordMacro => self.record(),
            C::TakeOffer => self.take_offer(),
            C::KeepBeside => self.keep_beside(),
            C::SwapBeside => self.swap_beside(),
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
            C::SortByUrgency => self.sort(Sort::Urgency),
            C::SortByWindow => self.sort(Sort::Window),
            C::SortByName => self.sort(Sort::Name),
            C::SortByCategory => self.sort(Sort::Category),
            C::SortByPriority => self.sort(Sort::Priority),
            _ => return false,
        }
        true
    }

    fn list_command(&mut self, command: Command) -> bool {
        let visible = self.list_rows(&self.areas());
        match command {
            Command::Down => self.list_mut().step(1, visible),
            Command::Up => self.list_mut().step(-1, visible),
            Command::Open => self.open(Focus::History),
            _ => return false,
        }
        true
    }

    /// Goes into the selected conversation.
    pub(crate) fn open(&mut self, focus: Focus) {
        if self.tab().focus == Focus::List
            && let Some(selected) = self.list().selected.clone()
        {
            self.list_mut().touch();
            self.show(&selected);
        }
        let tab = self.tab_mut();
        if let Some(history) = &mut tab.history {
            history.opened = true;
            tab.focus = focus;
        }
    }

    /// Goes into the composer, quoting the selected message if asked to.
    fn write(&mut self, quote: bool) {
        // An SMS quotes nothing.
        let from_history = self.tab().focus == Focus::History && !self.tab().is_phone();
        self.open(Focus::Composer);
        let tab = self.tab_mut();
        let quoted = match &tab.history {
            Some(history) if quote && from_history && history.selected.is_some() => {
                history.selected_message().map(|it| it.message.id.clone())
            }
            _ => None,
        };
        let Some(composer) = &mut tab.composer else { return };
        composer.mode = ComposerMode::Reply;
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
    fn neighbour(&mut self, rows: isize) {
        let visible = self.list_rows(&self.areas());
        self.list_mut().step(rows, visible);
        self.go_to_selected();
    }

    /// Opens the selected row while reading.
    pub(crate) fn go_to_selected(&mut self) {
        let focus = if self.tab().focus == Focus::List { Focus::List } else { Focus::History };
        let Some(selected) = self.list().selected.clone() else { return };
        self.take_up(&selected.channel);
        if focus == Focus::History {
            self.show(&selected);
            if let Some(history) = &mut self.tab_mut().history {
                history.opened = true;
            }
        }
        self.tab_mut().focus = focus;
    }

    fn turn_pane(&mut self, by: isize) {
        let order = [Focus::List, Focus::History, Focus::Composer];
        let tab = self.tab();
        if !self.is_inbox_shown() {
            return self.say("this page has one pane");
        }
        let at = order.iter().position(|it| *it == tab.focus).unwrap_or(0);
        let next = order[(at + 3).saturating_add_signed(by) % 3];
        match next {
            Focus::List => self.tab_mut().focus = Focus::List,
            _ => self.open(next),
        }
    }

    fn numbered_tab(&mut self, key: KeyPress) {
        let KeyCode::Char(digit) = key.code else { return };
        let number = digit.to_digit(10).and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        if (1..=self.tabs.len()).contains(&number) {
            self.go_to_tab(number - 1);
        } else {
            self.warn(format!("there is no tab {number}"));
        }
    }

    fn interrupt(&mut self) {
        let again = self.interrupted_at.is_some_and(|at| self.context.now.since(at) < INTERRUPT);
        if again {
            return self.quit();
        }
        self.interrupted_at = Some(self.context.now);
        self.state(Fact::Interrupted);
    }

    /// Quits, after saying what is left open.
    fn ask_quit(&mut self) {
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
        if open.is_empty() { self.quit() } else { self.open_layer(Layer::AskQuit { open, paused }) }
    }

    /// Leaves, keeping every draft.
    pub(crate) fn quit(&mut self) {
        self.save_every_draft();
        self.context.push(Effect::Quit);
    }
}

#[cfg(test)]
mod tests {
    use super::Command as C;
    use super::*;
    use crate::commands::{CommandScope, TABLE};
    use crate::settings::{ChannelInfo, Settings};
    use model::time::Timestamp;

    #[test]
    fn every_command_is_somebodys() {
        let channel = ChannelInfo {
            id: "harbor".into(),
            name: "Harbor chat".to_owned(),
            environment: None,
            read_only: false,
        };
        let now = Timestamp::from_micros(1_700_000_000 * SECOND);
        let left = TABLE
            .iter()
            .filter(|it| !matches!(it.place, CommandScope::Composer | CommandScope::Triage))
            .filter(|it| {
                let mut inbox = Inbox::new(vec![channel.clone()], Settings::default(), (120, 40), now);
                !inbox.takes(it.command, KeyPress::plain(KeyCode::Char('1')))
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
