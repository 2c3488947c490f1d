//! The handover: failures, pauses, queue and running broadcasts for the next shift, as Markdown on the
//! clipboard; and taking over the claims and pauses of colleagues.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, SyncOrder, TerminalOrder};
use crate::features::Features;
use crate::features::attention::{lines, update as attention};
use crate::features::credits::describe_remaining_days;
use crate::overlays::request_log::RequestLogView;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::broadcasts::HandoverFacts;
use crate::tab::Tab;
use model::attention::AttentionEntry;
use model::board::BoardEntry;
use model::digest::{DigestEntry, DigestFact};
use model::ids::ChannelId;
use model::local::Assignment;
use model::news::Health;
use model::outbox::RowState;
use model::prices;
use model::queries::{OutboxEntry, PausedEntry, SnoozedEntry};
use model::snooze;
use model::text::SafeText;
use model::time::{HOUR, format_short_span};

/// Maximum lines of each part; the rest is counted.
const MAX_PART_LINES: usize = 50;

/// Time in which a snooze must end to belong to the next shift, and an event must have happened to belong to
/// this one, in microseconds.
const SHIFT_DURATION: i64 = 12 * HOUR;
/// Maximum number of customers listed for whom the AI fails.
const MAX_TROUBLED_CUSTOMERS: usize = 5;

/// `:handover`, or `:handover take [NAME]`
pub(crate) fn handover(inbox: &mut Inbox, line: &str) -> Result<(), String> {
    let mut words = line.split_whitespace();
    match (words.next(), words.collect::<Vec<_>>().join(" ")) {
        (None, _) => {
            let query = attention::query(&inbox.desk, &inbox.context);
            let shift = (inbox.context.now.plus(-SHIFT_DURATION), inbox.context.now.plus(SHIFT_DURATION));
            inbox.context.push(SyncOrder::ReadCalls);
            inbox.context.push(Effect::Load(Load::Broadcasts(BroadcastQuery::Handover(query, shift))));
            Ok(())
        }
        (Some("take"), from) => {
            ask_take_over(Some(from).filter(|text| !text.is_empty()), &mut inbox.context);
            Ok(())
        }
        (Some(_), _) => Err("handover copies a summary for the next shift; handover take takes over".into()),
    }
}

/// Asks before taking over the claims and pauses of colleagues.
fn ask_take_over(from: Option<String>, context: &mut Context) {
    let me = context.settings.agent.clone();
    let whose =
        from.as_ref().map_or_else(|| "all colleagues".to_owned(), |text| SafeText::line(text).to_string());
    let lines = vec![
        DialogLine::plain(format!("You ({me}) take over from {whose} on this desk:")),
        DialogLine::plain("claims and AI pauses, on all channels."),
        DialogLine::dim("Pauses start again now. There is no single undo for this."),
    ];
    let from = from.map(|text| SafeText::line(&text));
    let take = move |inbox: &mut Inbox| {
        let who = Assignment { agent: inbox.context.settings.agent.clone(), at: inbox.context.now };
        let channels = inbox.desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect();
        inbox.context.push(FileWrite::TakeOver(channels, who, from));
    };
    context.open(Confirm::new("Take over?", lines).answer('y', "take over", take).esc("cancel"));
}

/// Reports how many claims and pauses were taken over.
pub(crate) fn report_taken_over(inbox: &mut Inbox, channels: &[ChannelId], count: usize) {
    channels.iter().for_each(|channel| inbox.conversations_changed(channel));
    if count == 0 {
        return inbox.context.show_notice("nothing to take over: no claims or pauses of colleagues here");
    }
    let words = format!("{count} claims and pauses taken over · {{needs-you}} shows what needs you");
    inbox.context.show_notice(inbox.context.fill_in_keys(&words));
}

impl Features {
    /// Copies the handover once its facts are loaded.
    pub(crate) fn copy_handover(&self, facts: &HandoverFacts, desk: &Desk, context: &mut Context) {
        let text = self.handover_text(facts, desk, context);
        let lines = text.lines().count();
        context.push(TerminalOrder::ReadOut(text.clone()));
        context.push(TerminalOrder::Copy(text, format!("the handover, {lines} lines of Markdown")));
    }

    fn handover_text(&self, facts: &HandoverFacts, desk: &Desk, context: &Context) -> String {
        let zone = &context.settings.zone;
        let mut text =
            format!("# Handover, {} {}\n", context.now.day_name(zone), context.now.hour_and_minute(zone));
        push_part(&mut text, "AI failing", troubled_lines(facts, desk, context));
        let mut broken = self.request_log.failure_lines(desk, context);
        broken.extend(undelivered_lines(facts, desk));
        push_part(&mut text, "Problems", broken);
        push_part(&mut text, "AI off: only you answer", paused_lines(facts, desk, context));
        let (asks, leaves): (Vec<_>, Vec<_>) = facts
            .outbox
            .iter()
            .partition(|outbox_entry| matches!(outbox_entry.row.state, RowState::Stopped(..)));
        let row = |outbox_entry: &&OutboxEntry| {
            let why = match &outbox_entry.row.state {
                RowState::Stopped(_, why) => format!(" · {why}"),
                _ => String::new(),
            };
            format!(
                "{} on {}: {}{why}",
                outbox_entry.title,
                channel_name(desk, &outbox_entry.row.channel),
                outbox_entry.row.operation.summary()
            )
        };
        push_part(&mut text, "Needs a decision (outbox)", asks.iter().map(row).collect());
        push_part(&mut text, "Queued, not yet sent", leaves.iter().map(row).collect());
        push_part(&mut text, "Back within 12 hours", snoozed_lines(facts, desk, context));
        push_part(&mut text, "Running broadcasts", broadcast_lines(&facts.running, desk));
        let is_told =
            |board_entry: &&BoardEntry| board_entry.counts().failed > 0 || board_entry.unsent_count() > 0;
        let ended: Vec<BoardEntry> = facts.ended.iter().filter(is_told).cloned().collect();
        push_part(&mut text, "Broadcasts with failed recipients", broadcast_lines(&ended, desk));
        let claims = facts.claims.iter().map(|(who, count)| format!("{who}: {count} claimed"));
        push_part(&mut text, "Claims", claims.collect());
        push_part(&mut text, "Channels", self.channel_lines(desk, context));
        text
    }

    /// One line per tab: conversations that need a person, and how long the credits last.
    fn channel_lines(&self, desk: &Desk, context: &Context) -> Vec<String> {
        let line = |tab: &Tab| {
            let credits = tab.account.as_ref().map(|account| {
                let burn = self
                    .credits
                    .daily_spending(account, desk, context)
                    .map(|burn| describe_remaining_days(account.credits, burn));
                let burn = burn.map_or_else(String::new, |burn| format!(", {burn}"));
                format!(" · {}{burn}", prices::format_credits(account.credits))
            });
            let (name, needs) = (&tab.channel.name, tab.counts.needs_reply);
            let snoozed = tab.counts.snoozed;
            format!("{name}: {needs} need a person, {snoozed} snoozed{}", credits.unwrap_or_default())
        };
        desk.tabs.iter().map(line).collect()
    }
}

fn channel_name(desk: &Desk, channel: &ChannelId) -> String {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    tab.map_or_else(|| channel.to_string(), |tab| tab.channel.name.clone())
}

fn troubled_lines(facts: &HandoverFacts, desk: &Desk, context: &Context) -> Vec<String> {
    let line = |attention_entry: &AttentionEntry| {
        let words = lines::describe_reason(&attention_entry.reason, context);
        format!("{} on {}: {words}", attention_entry.title, channel_name(desk, &attention_entry.channel))
    };
    let mut lines: Vec<String> = facts.troubled.iter().take(MAX_TROUBLED_CUSTOMERS).map(line).collect();
    let more = facts.troubled.len().saturating_sub(MAX_TROUBLED_CUSTOMERS);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

fn paused_lines(facts: &HandoverFacts, desk: &Desk, context: &Context) -> Vec<String> {
    let line = |paused_entry: &PausedEntry| {
        let since = format_short_span(context.now.since(paused_entry.since));
        let who = paused_entry
            .title
            .as_ref()
            .map_or_else(|| paused_entry.conversation.to_string(), ToString::to_string);
        let waits = paused_entry.waiting_since.map(|waiting_since| {
            format!(", waiting {}", format_short_span(context.now.since(waiting_since)))
        });
        format!(
            "{who} on {}: AI off for {since}{}",
            channel_name(desk, &paused_entry.channel),
            waits.unwrap_or_default()
        )
    };
    facts.paused.iter().map(line).collect()
}

fn snoozed_lines(facts: &HandoverFacts, desk: &Desk, context: &Context) -> Vec<String> {
    let line = |snoozed_entry: &SnoozedEntry| {
        let until = snooze::format_time(snoozed_entry.until, context.now, &context.settings.zone);
        format!("{until}: {} on {}", snoozed_entry.title, channel_name(desk, &snoozed_entry.key.channel))
    };
    facts.snoozed.iter().map(line).collect()
}

fn broadcast_lines(entries: &[BoardEntry], desk: &Desk) -> Vec<String> {
    let line = |board_entry: &BoardEntry| {
        let counts = board_entry.counts();
        let why = board_entry
            .campaign()
            .filter(|campaign| !campaign.why.is_empty())
            .map(|campaign| format!(" · {}", campaign.why));
        let not_sent = match (board_entry.is_open(), board_entry.unsent_count()) {
            (true, _) | (false, 0) => String::new(),
            (false, count) => format!(", {count} not sent"),
        };
        format!(
            "{} on {} to {}: {} · {} delivered, {} failed, {} pending{not_sent}{}",
            board_entry.title(),
            channel_name(desk, board_entry.channel()),
            board_entry.recipient_count(),
            board_entry.status_label(),
            counts.delivered,
            counts.failed,
            counts.pending,
            why.unwrap_or_default()
        )
    };
    entries.iter().map(line).collect()
}

/// Messages of the shift that did not arrive: broadcasts as counts, texts one by one.
fn undelivered_lines(facts: &HandoverFacts, desk: &Desk) -> Vec<String> {
    let of_broadcast = |board_entry: &BoardEntry| match board_entry.counts().failed {
        0 => None,
        failed => {
            let (name, people) = (channel_name(desk, board_entry.channel()), board_entry.recipient_count());
            Some(format!("{name}: {failed} of {people} not reached by broadcast {}", board_entry.title()))
        }
    };
    let of_text = |digest_entry: &DigestEntry| match &digest_entry.fact {
        DigestFact::Undelivered(text) => Some(format!(
            "{}: not delivered to {}: {text}",
            channel_name(desk, &digest_entry.channel),
            digest_entry.title
        )),
        _ => None,
    };
    let broadcasts = facts.running.iter().chain(&facts.ended).filter_map(of_broadcast);
    broadcasts.chain(facts.undelivered.iter().filter_map(of_text)).collect()
}

impl RequestLogView {
    /// Connections with problems, and recent refusals by code.
    fn failure_lines(&self, desk: &Desk, context: &Context) -> Vec<String> {
        let mut lines = Vec::new();
        for tab in &desk.tabs {
            let name = &tab.channel.name;
            match &tab.health {
                Health::Refused { code, why } => lines.push(format!("{name}: key refused: {code}: {why}")),
                Health::Silent { since } => lines.push(format!(
                    "{name}: no answer since {}",
                    since.hour_and_minute(&context.settings.zone)
                )),
                Health::Offline { since, why } | Health::Trouble { since, why } => {
                    let since = since.hour_and_minute(&context.settings.zone);
                    lines.push(format!("{name}: since {since}: {why}"));
                }
                Health::Misconfigured { why } => lines.push(format!("{name}: {why}")),
                _ => (),
            }
            let mut codes: Vec<(String, usize)> = Vec::new();
            for call in self.failed_requests(&tab.channel.id) {
                let code = call.code.as_ref().map(ToString::to_string);
                let word = code.unwrap_or_else(|| match &call.answer {
                    Ok(status) => status.to_string(),
                    Err(why) => why.to_string(),
                });
                match codes.iter_mut().find(|code| code.0 == word) {
                    Some(found) => found.1 += 1,
                    None => codes.push((word, 1)),
                }
            }
            lines.extend(codes.into_iter().map(|(word, count)| {
                let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
                format!("{name}: {word}, {times} lately")
            }));
        }
        lines
    }
}

/// Adds a part with its lines, or that there are none. Escapes Markdown in the lines.
fn push_part(text: &mut String, title: &str, lines: Vec<String>) {
    text.push_str(&format!("\n## {title}\n\n"));
    if lines.is_empty() {
        text.push_str("Nothing.\n");
    }
    for line in lines.iter().take(MAX_PART_LINES) {
        let plain = SafeText::line(line).to_string();
        let escaped: String =
            plain
                .chars()
                .flat_map(|character| {
                    if "\\`*_[]<>#|".contains(character) { vec!['\\', character] } else { vec![character] }
                })
                .collect();
        text.push_str(&format!("- {escaped}\n"));
    }
    if lines.len() > MAX_PART_LINES {
        text.push_str(&format!("- … and {} more\n", lines.len() - MAX_PART_LINES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_customer_wrote_becomes_markdown() {
        let mut text = String::new();
        push_part(&mut text, "Queued", vec!["[click](https://x.example) `rm`\n# Title".to_owned()]);
        assert_eq!(text, "\n## Queued\n\n- \\[click\\](https://x.example) \\`rm\\`⏎\\# Title\n");
        push_part(&mut text, "Broken", Vec::new());
        assert!(text.ends_with("## Broken\n\nNothing.\n"));
    }
}
