//! What commands do: moving, opening, taking over, sending, closing.
//!
//! Knows nothing of which key asked, but for the digit of a tab.

use crate::app::App;
use crate::app::commands::Command;
use crate::app::event::{Effect, Intent};
use crate::app::history::message_of;
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::Layer;
use crate::app::lines::Item;
use crate::app::settings::PauseOnReply;
use crate::app::tab::{Focus, Tab};
use crate::app::watch;
use crate::model::account::Platform;
use crate::model::bounds;
use crate::model::conversations::ServiceWindow;
use crate::model::ids::{ChannelId, ConversationId, MessageId};
use crate::model::outbox::Operation;
use crate::model::text::SafeText;
use crate::model::time::SECOND;

/// How long the first Ctrl-C waits for the second.
const INTERRUPT: i64 = 2 * SECOND;

impl App {
    /// Performs a command whose key was pressed and that can be done.
    pub(super) fn perform(&mut self, command: Command, key: Key, effects: &mut Vec<Effect>) {
        use Command as C;
        match command {
            C::Reply => self.write(true, effects),
            C::Write => self.write(false, effects),
            C::PauseAi => self.switch_ai(false, effects),
            C::HandBack => self.switch_ai(true, effects),
            C::Close => self.close(effects),
            C::CloseAndNext => {
                self.close(effects);
                self.next_waiting(effects);
            }
            C::Undo => self.undo(effects),
            C::NextWaiting => self.next_waiting(effects),
            C::Card => self.card = Some(self.areas().card.is_none()),
            C::Raw => self.raw(),
            C::Down | C::Up | C::Open | C::CycleFilter => self.list_command(command, effects),
            C::React => self.pick_reaction(),
            C::RemoveReaction => self.remove_reaction(effects),
            C::MessageDown | C::MessageUp | C::FirstUnseen => self.history_command(command),
            C::NextConversation => self.neighbour(1, effects),
            C::PreviousConversation => self.neighbour(-1, effects),
            C::TryAgain | C::TakeBack => self.stopped_row(command, effects),
            C::Back => self.tab_mut().focus = Focus::List,
            C::HalfDown | C::HalfUp | C::PageDown | C::PageUp | C::Top | C::Bottom => self.travel(command),
            C::NextPane => self.turn_pane(1, effects),
            C::PreviousPane => self.turn_pane(-1, effects),
            C::NextTab => self.go_to_tab((self.active + 1) % self.tabs.len()),
            C::PreviousTab => self.go_to_tab((self.active + self.tabs.len() - 1) % self.tabs.len()),
            C::GoToTab => self.numbered_tab(key),
            C::Refresh => {
                effects.push(Effect::Refresh(self.tab().channel.id.clone()));
                self.say("asking the server");
            }
            C::Redraw => effects.push(Effect::Redraw),
            C::Suspend => effects.push(Effect::Suspend),
            C::Help => self.open_layer(Layer::Help { first: 0 }),
            C::Quit => self.ask_quit(effects),
            C::Interrupt => self.interrupt(effects),
            // The composer's commands are handled where its keys are.
            _ => (),
        }
    }

    fn list_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        let tab = self.tab_mut();
        match command {
            Command::Down => tab.list.step(1, visible),
            Command::Up => tab.list.step(-1, visible),
            Command::CycleFilter => {
                let filter = tab.list.filter.next();
                tab.list.set_filter(filter);
            }
            _ => self.open(Focus::History, effects),
        }
    }

    /// Goes into the selected conversation.
    fn open(&mut self, focus: Focus, effects: &mut Vec<Effect>) {
        let tab = self.tab_mut();
        if tab.focus == Focus::List
            && let Some(selected) = tab.list.selected.clone()
        {
            watch::show(tab, &selected, effects);
        }
        if let Some(history) = &mut tab.history {
            history.opened = true;
            tab.focus = focus;
        }
    }

    /// Goes into the composer, quoting the selected message if asked to.
    fn write(&mut self, quote: bool, effects: &mut Vec<Effect>) {
        let from_history = self.tab().focus == Focus::History;
        self.open(Focus::Composer, effects);
        let tab = self.tab_mut();
        let quoted = match &tab.history {
            Some(history) if quote && from_history && history.selected.is_some() => {
                history.selected_message().map(|it| it.message.id.clone())
            }
            _ => None,
        };
        if let (Some(composer), Some(quoted)) = (&mut tab.composer, quoted) {
            composer.reply_to = Some(quoted);
        }
    }

    fn history_command(&mut self, command: Command) {
        let Some(history) = &mut self.tab_mut().history else { return };
        match command {
            Command::MessageDown => history.step(1),
            Command::MessageUp => history.step(-1),
            _ => {
                if !history.go_to_divider() {
                    self.say("nothing new since you looked");
                }
            }
        }
    }

    /// Reads the next or previous conversation of the list.
    fn neighbour(&mut self, rows: isize, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        let tab = self.tab_mut();
        tab.list.step(rows, visible);
        self.go_to_selected(effects);
    }

    /// Opens the selected row while reading.
    fn go_to_selected(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab_mut();
        let focus = if tab.focus == Focus::List { Focus::List } else { Focus::History };
        let Some(selected) = tab.list.selected.clone() else { return };
        if focus == Focus::History {
            watch::show(tab, &selected, effects);
            if let Some(history) = &mut tab.history {
                history.opened = true;
            }
        }
        tab.focus = focus;
    }

    fn next_waiting(&mut self, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        let tab = self.tab_mut();
        match tab.list.next_waiting() {
            Some(id) => {
                tab.list.select(&id, visible);
                self.go_to_selected(effects);
            }
            None => self.say("no one is waiting here"),
        }
    }

    fn travel(&mut self, command: Command) {
        use Command as C;
        let visible = self.list_rows(&self.areas());
        let signed = |it: usize| isize::try_from(it).unwrap_or(isize::MAX);
        let tab = self.tab_mut();
        if tab.focus == Focus::List {
            match command {
                C::HalfDown => tab.list.step(signed(visible / 2), visible),
                C::HalfUp => tab.list.step(-signed(visible / 2), visible),
                C::PageDown => tab.list.step(signed(visible), visible),
                C::PageUp => tab.list.step(-signed(visible), visible),
                C::Top => tab.list.top(visible),
                _ => tab.list.bottom(visible),
            }
        } else if let Some(history) = &mut tab.history {
            let rows = signed(history.visible_rows());
            match command {
                C::HalfDown => history.scroll(rows / 2),
                C::HalfUp => history.scroll(-rows / 2),
                C::PageDown => history.scroll(rows),
                C::PageUp => history.scroll(-rows),
                C::Top => history.top(),
                _ => history.follow(),
            }
        }
    }

    fn turn_pane(&mut self, by: isize, effects: &mut Vec<Effect>) {
        let order = [Focus::List, Focus::History, Focus::Composer];
        let tab = self.tab();
        if !tab.is_inbox() {
            return self.say("this page has one pane");
        }
        let at = order.iter().position(|it| *it == tab.focus).unwrap_or(0);
        let next = order[(at + 3).saturating_add_signed(by) % 3];
        match next {
            Focus::List => self.tab_mut().focus = Focus::List,
            _ => self.open(next, effects),
        }
    }

    fn go_to_tab(&mut self, index: usize) {
        self.active = index;
        self.pressed.clear();
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

    /// The intent of an operation on the conversation at hand.
    fn intent(&self, operation: Operation, hold: i64) -> Option<Intent> {
        let tab = self.tab();
        Some(Intent {
            channel: tab.channel.id.clone(),
            platform: tab.platform()?.clone(),
            conversation: tab.at_hand()?.conversation.id.clone(),
            operation,
            hold,
        })
    }

    fn enqueue(&mut self, operation: Operation, hold: i64, effects: &mut Vec<Effect>) {
        if let Some(intent) = self.intent(operation, hold) {
            effects.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        }
    }

    fn switch_ai(&mut self, enabled: bool, effects: &mut Vec<Effect>) {
        self.enqueue(Operation::SetAutomation { enabled }, 0, effects);
        self.say(if enabled { "handing back: the AI answers the next message" } else { "pausing the AI" });
    }

    fn close(&mut self, effects: &mut Vec<Effect>) {
        let hold = self.settings.hold;
        self.enqueue(Operation::Close, hold, effects);
        match hold / SECOND {
            0 => self.say("closing"),
            seconds => self.say(format!("closing in {seconds} s · z keeps it open")),
        }
    }

    /// Sends what the composer holds, or ends the hold of what was sent.
    pub(super) fn send(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return };
        if composer.is_blank() {
            return self.send_held_now(effects);
        }
        if let Err(reason) = self.may_send(&composer.text()) {
            return self.warn(reason);
        }
        let Some(row) = tab.history.as_ref().and_then(|it| it.row.as_ref()) else { return };
        let Some(to) = row.conversation.address.clone() else { return };
        let operation =
            Operation::SendText { to, text: composer.text(), reply_to: composer.reply_to.clone() };
        let asks = Tab::ai_may_answer(row) && !tab.send_beside_ai.contains(&row.conversation.id);
        let hold = self.settings.hold;
        let (Some(send), Some(pause)) =
            (self.intent(operation, hold), self.intent(Operation::SetAutomation { enabled: false }, 0))
        else {
            return;
        };
        match self.settings.pause_on_reply {
            PauseOnReply::Ask if asks => {
                self.open_layer(Layer::AskPause { send: Box::new(send), pause: Box::new(pause) });
            }
            PauseOnReply::Always if asks => self.pause_and_send(pause, send, effects),
            _ => self.commit_send(vec![send], effects),
        }
    }

    /// Whether a text may leave now; the reason keeps it in the composer.
    fn may_send(&self, text: &str) -> Result<(), String> {
        crate::app::availability::check(self, Command::Write)?;
        let tab = self.tab();
        let row = tab.history.as_ref().and_then(|it| it.row.as_ref());
        let row = row.ok_or("the conversation is still being read; the draft is kept")?;
        if row.conversation.window == ServiceWindow::Closed {
            return Err("the service window is closed: only templates may be sent; the draft is kept".into());
        }
        let length = tab.counted_length(text);
        if length > bounds::TEXT {
            let over = length - bounds::TEXT;
            return Err(format!(
                "{over} characters too long ({length} of {}); nothing was sent",
                bounds::TEXT
            ));
        }
        Ok(())
    }

    /// Pauses the AI, then sends, in this order in one lane.
    pub(super) fn pause_and_send(&mut self, pause: Intent, send: Intent, effects: &mut Vec<Effect>) {
        self.commit_send(vec![pause, send], effects);
    }

    /// Sends beside the AI, and does not ask again in this conversation.
    pub(super) fn send_beside_ai(&mut self, send: Intent, effects: &mut Vec<Effect>) {
        let conversation = send.conversation.clone();
        self.tab_mut().send_beside_ai.push(conversation);
        self.commit_send(vec![send], effects);
    }

    fn commit_send(&mut self, intents: Vec<Intent>, effects: &mut Vec<Effect>) {
        effects.push(Effect::Enqueue { intents, clears_draft: true });
        let tab = self.tab_mut();
        if let Some(composer) = &mut tab.composer {
            composer.clear();
        }
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        self.notice = None;
    }

    /// The newest held message of the open conversation leaves now.
    fn send_held_now(&mut self, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let at_hand = tab.composer.as_ref().map(|it| it.conversation.clone());
        let channel = tab.channel.id.clone();
        let held = self
            .undo
            .iter()
            .rposition(|it| it.channel == channel && Some(&it.conversation) == at_hand.as_ref());
        match held {
            Some(index) => {
                let held = self.undo.remove(index);
                effects.push(Effect::SendNow(held.row));
            }
            None => self.warn("there is nothing to send: the composer is empty"),
        }
    }

    fn undo(&mut self, effects: &mut Vec<Effect>) {
        if let Some(held) = self.undo.pop() {
            effects.push(Effect::Recall(held.row));
        }
    }

    fn pick_reaction(&mut self) {
        let tab = self.tab();
        let Some(history) = &tab.history else { return };
        let Some(row) = history.selected_message() else { return };
        let layer = Layer::React {
            channel: tab.channel.id.clone(),
            conversation: history.conversation.clone(),
            message: row.message.id.clone(),
            chosen: 0,
        };
        self.open_layer(layer);
    }

    fn remove_reaction(&mut self, effects: &mut Vec<Effect>) {
        let message =
            self.tab().history.as_ref().and_then(|it| it.selected_message()).map(|it| it.message.id.clone());
        if let Some(message) = message {
            self.enqueue(Operation::React { message, emoji: String::new() }, 0, effects);
        }
    }

    /// Puts a chosen emoji on a message.
    pub(super) fn react(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        message: &MessageId,
        emoji: &str,
        effects: &mut Vec<Effect>,
    ) {
        let platform = self.tab_of(channel).and_then(|it| it.platform().cloned());
        let Some(platform) = platform else { return };
        let operation = Operation::React { message: message.clone(), emoji: emoji.to_owned() };
        let intent = Intent {
            channel: channel.clone(),
            platform,
            conversation: conversation.clone(),
            operation,
            hold: 0,
        };
        effects.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
    }

    /// Decides over a stopped outbox row.
    fn stopped_row(&mut self, command: Command, effects: &mut Vec<Effect>) {
        let item = self.tab().history.as_ref().and_then(|it| it.selected_item());
        let Some(Item::Outbox(row, _)) = item else { return };
        let row = row.clone();
        if command == Command::TryAgain {
            effects.push(Effect::Retry(row.id));
            return self.say("trying again");
        }
        if let Operation::SendText { text, reply_to, .. } = &row.operation {
            let (now, text, reply_to) = (self.now, text.clone(), reply_to.clone());
            let tab = self.tab_mut();
            match &mut tab.composer {
                Some(composer) if composer.is_loaded() => {
                    composer.restore(&text, reply_to, now);
                    tab.focus = Focus::Composer;
                }
                _ => return self.warn("the kept draft is still being read; press x again"),
            }
        }
        // The text is on disk as a draft before the row that held it goes.
        effects.extend(self.leave());
        effects.push(Effect::Drop(row.id));
    }

    fn raw(&mut self) {
        let tab = self.tab();
        let selected = match (&tab.history, tab.focus) {
            (Some(history), Focus::History) => history.selected_item().and_then(message_of),
            _ => None,
        };
        let (title, raw) = match (selected, tab.at_hand()) {
            (Some(row), _) => (format!("message {}", row.message.id), &row.message.raw),
            (None, Some(row)) => (format!("conversation {}", row.conversation.id), &row.conversation.raw),
            (None, None) => return,
        };
        let lines = pretty(raw).lines().map(SafeText::line).collect();
        let title = SafeText::line(&title).to_string();
        self.open_layer(Layer::Raw { title, lines, first: 0 });
    }

    fn interrupt(&mut self, effects: &mut Vec<Effect>) {
        let again = self.interrupted_at.is_some_and(|at| self.now.since(at) < INTERRUPT);
        if again {
            return self.quit(effects);
        }
        self.interrupted_at = Some(self.now);
        self.say("press Ctrl-C again to quit; drafts are safe");
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
        if paused > 0 {
            let people = if paused == 1 { "1 conversation" } else { &format!("{paused} conversations") };
            open.push(format!("the AI is paused by you in {people}: no one answers there"));
        }
        if open.is_empty() { self.quit(effects) } else { self.open_layer(Layer::AskQuit { open }) }
    }

    /// Leaves, keeping every draft.
    pub(super) fn quit(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.leave());
        effects.push(Effect::Quit);
    }
}

impl Tab {
    /// The length the channel's bound counts: bot-chat counts what is sent,
    /// in which three characters of plain text are escaped.
    pub fn counted_length(&self, text: &str) -> usize {
        let plain = bounds::length(text);
        if self.platform() == Some(&Platform::Telegram) {
            let extra: usize = text
                .chars()
                .map(|it| match it {
                    '&' => 4,
                    '<' | '>' => 3,
                    _ => 0,
                })
                .sum();
            return plain + extra;
        }
        plain
    }
}

/// JSON with a line break and an indent for each member; works on any text.
fn pretty(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth.min(40) * 2));
    };
    for it in raw.chars() {
        if quoted {
            out.push(it);
            quoted = escaped || it != '"';
            escaped = it == '\\' && !escaped;
            continue;
        }
        match it {
            '"' => {
                quoted = true;
                out.push(it);
            }
            '{' | '[' => {
                depth += 1;
                out.push(it);
                newline(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                newline(&mut out, depth);
                out.push(it);
            }
            ',' => {
                out.push(it);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ if it.is_whitespace() => (),
            _ => out.push(it),
        }
    }
    out
}
