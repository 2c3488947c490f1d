//! The question before quitting, with open work.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::tab::Tab;

impl Changes {
    pub(crate) fn ask_quit(&mut self, desk: &mut Desk, context: &mut Context) {
        let sum = |count: fn(&Tab) -> u32| desk.tabs.iter().map(count).sum::<u32>();
        let (outbox, stopped) = (sum(|tab| tab.counts.outbox), sum(|tab| tab.counts.stopped));
        let paused = sum(|tab| if tab.channel.read_only { 0 } else { tab.counts.paused_here });
        let broadcasts = sum(|tab| tab.counts.broadcasts);
        let receives = desk.tabs.iter().any(|tab| tab.webhook_status.is_some());
        let mut open = Vec::new();
        let successor = find_successor(desk);
        let stays = match &successor {
            Some(who) => format!("{who} sends it"),
            None => "kept on disk, sent when frontdesk runs again".to_owned(),
        };
        if outbox > 0 {
            open.push(format!("{outbox} not yet sent; {stays}"));
        }
        if stopped > 0 {
            open.push(format!("{stopped} stopped before sending; kept for your decision"));
        }
        match broadcasts {
            0 => (),
            many => {
                let have = if many == 1 { "1 broadcast has" } else { &format!("{many} broadcasts have") };
                open.push(match &successor {
                    Some(who) => format!("{have} unsent waves: {who} continues"),
                    None => format!("{have} unsent waves, which wait until frontdesk runs again"),
                });
            }
        }
        if successor.is_none() && (outbox > 0 || broadcasts > 0) && receives {
            open.push("webhooks are not received until frontdesk runs again".to_owned());
        }
        if paused > 0 {
            let people = if paused == 1 { "1 conversation" } else { &format!("{paused} conversations") };
            open.push(format!("AI paused here in {people}: customers there get no answer"));
        }
        let drafts = self.unsaved_drafts();
        match drafts {
            0 => (),
            1 => open.push("1 draft could not be saved: quitting loses it".to_owned()),
            _ => open.push(format!("{drafts} drafts could not be saved: quitting loses them")),
        }
        if open.is_empty() {
            return self.quit(desk, context);
        }
        let sends = !context.settings.demo && successor.is_none() && desk.tabs.iter().any(has_unsent_rows);
        let lines = open.into_iter().map(DialogLine::plain).collect();
        let question = Confirm::new("Quit frontdesk?", lines).answer('n', "", |_| ()).esc("stay");
        let question = match sends {
            true => question.answer('b', "quit, send it in the background", |inbox: &mut Inbox| {
                inbox.changes.quit_to_background(&mut inbox.desk, &mut inbox.context)
            }),
            false => question,
        };
        context.open(match paused {
            0 => question.answer('y', "quit", |inbox: &mut Inbox| {
                inbox.changes.quit(&mut inbox.desk, &mut inbox.context)
            }),
            _ => question
                .answer('y', "quit, keep them paused", |inbox: &mut Inbox| {
                    inbox.changes.quit(&mut inbox.desk, &mut inbox.context)
                })
                .answer('h', "hand all back, then quit", |inbox: &mut Inbox| {
                    inbox.keyboard.hand_back_and_quit(&inbox.desk, &mut inbox.context)
                }),
        });
    }
}

/// True if a tab has rows this desk would send.
fn has_unsent_rows(tab: &Tab) -> bool {
    !tab.channel.read_only && (tab.counts.outbox > 0 || tab.counts.broadcasts > 0)
}

/// The other process that sends all remaining rows; `None` if there is none.
fn find_successor(desk: &Desk) -> Option<String> {
    let mut names = desk.tabs.iter().filter(|tab| has_unsent_rows(tab)).map(|tab| {
        let successor = tab.successor.as_ref().map(ToString::to_string);
        tab.leader.describe().or(successor)
    });
    let first = names.next()??;
    names.all(|name| name.is_some()).then_some(first)
}
