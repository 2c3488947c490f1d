//! The handover: what the next shift must know, as Markdown on the clipboard:
//! what broke, what is paused, what is queued, which broadcasts go on.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder, TerminalOrder};
use crate::overlays::request_log::RequestLogView;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::broadcasts::HandoverFacts;
use model::news::Health;
use model::outbox::RowState;
use model::prices;
use model::queries::OutboxEntry;
use model::text::SafeText;
use model::time::short_span;

/// Lines of each part at most; the rest is counted.
const MOST: usize = 50;

/// `:handover`
pub(crate) fn handover(context: &mut Context) -> Result<(), String> {
    context.push(SyncOrder::ReadCalls);
    context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Handover)));
    Ok(())
}

impl RequestLogView {
    /// What the files know has come.
    pub(crate) fn hand_over(&mut self, facts: &HandoverFacts, desk: &Desk, context: &mut Context) {
        let text = self.handover_text(facts, desk, context);
        let lines = text.lines().count();
        context.push(TerminalOrder::Copy(text, format!("the handover, {lines} lines of Markdown")));
    }

    fn handover_text(&self, facts: &HandoverFacts, desk: &Desk, context: &Context) -> String {
        let zone = &context.settings.zone;
        let mut text =
            format!("# Handover, {} {}\n", context.now.day_name(zone), context.now.clock_face(zone));
        let name = |channel: &model::ids::ChannelId| {
            let tab = desk.tabs.iter().find(|it| it.channel.id == *channel);
            tab.map_or_else(|| channel.to_string(), |it| it.channel.name.clone())
        };
        part(&mut text, "What broke", self.broken(desk, context));
        let paused = facts.paused.iter().map(|it| {
            let since = short_span(context.now.since(it.since));
            let who = it.title.as_ref().map_or_else(|| it.conversation.to_string(), ToString::to_string);
            let waits = it.waiting_since.map(|it| format!(", waits {}", short_span(context.now.since(it))));
            format!("{who} on {}: AI off for {since}{}", name(&it.channel), waits.unwrap_or_default())
        });
        part(&mut text, "AI paused: no one answers there but you", paused.collect());
        let (asks, leaves): (Vec<_>, Vec<_>) =
            facts.outbox.iter().partition(|it| matches!(it.row.state, RowState::Stopped(..)));
        let row = |it: &&OutboxEntry| {
            let why = match &it.row.state {
                RowState::Stopped(_, why) => format!(" · {why}"),
                _ => String::new(),
            };
            format!("{} on {}: {}{why}", it.title, name(&it.row.channel), it.row.operation.summary())
        };
        part(&mut text, "Waits for a decision (outbox)", asks.iter().map(row).collect());
        part(&mut text, "Queued, not yet sent", leaves.iter().map(row).collect());
        let running = facts.running.iter().map(|it| {
            let counts = it.counts();
            let why = it.campaign().filter(|it| !it.why.is_empty()).map(|it| format!(" · {}", it.why));
            format!(
                "{} on {} to {}: {} · {} delivered, {} failed, {} pending{}",
                it.title(),
                name(it.channel()),
                it.people(),
                it.word(),
                counts.delivered,
                counts.failed,
                counts.pending,
                why.unwrap_or_default()
            )
        });
        part(&mut text, "Broadcasts that go on", running.collect());
        let waiting = desk.tabs.iter().map(|it| {
            let credits = it.account.as_ref().map(|it| format!(" · {} credits", prices::credits(it.credits)));
            let snoozed = it.counts.snoozed;
            format!(
                "{}: {} need a person, {snoozed} snoozed{}",
                it.channel.name,
                it.counts.needs_reply,
                credits.unwrap_or_default()
            )
        });
        part(&mut text, "Channels", waiting.collect());
        text
    }

    /// Connections that are not well, and what was refused lately by code.
    fn broken(&self, desk: &Desk, context: &Context) -> Vec<String> {
        let mut lines = Vec::new();
        for tab in &desk.tabs {
            let name = &tab.channel.name;
            match &tab.health {
                Health::Refused { code, why } => {
                    lines.push(format!("{name}: the key is not taken: {code}: {why}"))
                }
                Health::Silent { since } => lines
                    .push(format!("{name}: no answer since {}", since.clock_face(&context.settings.zone))),
                Health::Offline { since, why } | Health::Trouble { since, why } => {
                    let since = since.clock_face(&context.settings.zone);
                    lines.push(format!("{name}: since {since}: {why}"));
                }
                Health::Misconfigured { why } => lines.push(format!("{name}: {why}")),
                _ => (),
            }
            let mut codes: Vec<(String, usize)> = Vec::new();
            for call in self.failed_calls(&tab.channel.id) {
                let code = call.code.as_ref().map(ToString::to_string);
                let word = code.unwrap_or_else(|| match &call.answer {
                    Ok(status) => status.to_string(),
                    Err(why) => why.to_string(),
                });
                match codes.iter_mut().find(|it| it.0 == word) {
                    Some(found) => found.1 += 1,
                    None => codes.push((word, 1)),
                }
            }
            lines.extend(
                codes.into_iter().map(|(word, count)| format!("{name}: {word}, {count} times lately")),
            );
        }
        lines
    }
}

/// One part with its lines, or that there are none. Nothing of a line makes
/// Markdown of its own.
fn part(text: &mut String, title: &str, lines: Vec<String>) {
    text.push_str(&format!("\n## {title}\n\n"));
    if lines.is_empty() {
        text.push_str("Nothing.\n");
    }
    for line in lines.iter().take(MOST) {
        let plain = SafeText::line(line).to_string();
        let escaped: String = plain
            .chars()
            .flat_map(|it| if "\\`*_[]<>#|".contains(it) { vec!['\\', it] } else { vec![it] })
            .collect();
        text.push_str(&format!("- {escaped}\n"));
    }
    if lines.len() > MOST {
        text.push_str(&format!("- … and {} more\n", lines.len() - MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_customer_wrote_becomes_markdown() {
        let mut text = String::new();
        part(&mut text, "Queued", vec!["[click](https://x.example) `rm`\n# Title".to_owned()]);
        assert_eq!(text, "\n## Queued\n\n- \\[click\\](https://x.example) \\`rm\\`⏎\\# Title\n");
        part(&mut text, "Broken", Vec::new());
        assert!(text.ends_with("## Broken\n\nNothing.\n"));
    }
}
