//! `broadcast report`: results of a broadcast. Reads them from the server first; without an answer, the last
//! stored values are shown.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::Session;
use crate::cli::scripting::broadcast::WatchArguments;
use crate::cli::scripting::broadcast_status::refresh_broadcast;
use crate::cli::scripting::waves;
use model::board::BoardEntry;
use model::broadcast_report::BroadcastReport;
use model::broadcasts::Broadcast;
use model::fetches::Fetch;
use model::time::{MINUTE, SECOND, format_precise_span};
use model::waves::RecipientCounts;
use sync::ChannelSync;

/// Tolerated difference between the server's clock and the local one, in microseconds.
const CLOCK_TOLERANCE: i64 = 2 * MINUTE;

pub fn run(session: &Session, arguments: &WatchArguments) -> Result<()> {
    let entry = find(session, &arguments.id)?;
    let channels = session.channels(arguments.common.channel.as_deref())?;
    let Some(channel) = channels.into_iter().find(|channel| channel.spec().id == *entry.channel()) else {
        return Err(waves::not_found(&arguments.id).into());
    };
    let counts = refresh_counts(session, &channel, &entry);
    let entry = find(session, &arguments.id)?;
    let detail = session.reader.board_detail(&entry.id())?;
    let template = session.runtime.block_on(session.store().template_charge(&channel.spec().id))?;
    let mut report = BroadcastReport::from_entry(&entry, &detail, template);
    match counts {
        // Newer than the counts of the waves.
        Ok(counts) => report = report.with_counts(counts),
        Err(why) => print::print_progress(&format!("frontdesk: showing the last known counts: {why:#}"))?,
    }
    if arguments.common.json {
        return print::json(&as_json(session, &channel, &arguments.id, &entry, &report));
    }
    for line in lines(session, &entry, &report) {
        print::line(&print::columns(&line))?;
    }
    Ok(())
}

fn find(session: &Session, id: &str) -> Result<BoardEntry> {
    let named = |board_entry: &BoardEntry| match board_entry {
        BoardEntry::Campaign(board_entry) => board_entry.id.as_str() == id,
        BoardEntry::Broadcast(_, board_entry) => board_entry.id.as_str() == id,
        BoardEntry::Unread(_, board_entry, _) => board_entry.as_str() == id,
    };
    match session.reader.board(None)?.into_iter().find(named) {
        Some(entry) => Ok(entry),
        None => Err(waves::not_found(id).into()),
    }
}

/// Reads the state of all parts and the messages sent since the start.
fn refresh_counts(session: &Session, channel: &ChannelSync, entry: &BoardEntry) -> Result<RecipientCounts> {
    let mut counts = RecipientCounts::default();
    for id in entry.broadcast_ids() {
        let Some(told) = refresh_broadcast(session, channel, id)? else {
            bail!("the server does not know {id}")
        };
        let Broadcast { recipients, delivered, failed, pending, .. } = told;
        counts.add(RecipientCounts { recipients, delivered, failed, pending });
    }
    if let Some(began) = entry.started_at() {
        session.runtime.block_on(channel.fetch(&Fetch::Sent { since: began.plus(-CLOCK_TOLERANCE) }));
    }
    Ok(counts)
}

/// Rows of columns: label, count, and the reason of failures.
fn lines(session: &Session, entry: &BoardEntry, report: &BroadcastReport) -> Vec<Vec<String>> {
    let known = |entry: Option<i64>| entry.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
    let took = report.duration(session.now());
    let totals = [
        ("status", entry.status_label().to_string()),
        ("people", report.people.to_string()),
        ("accepted", report.counts.recipients.to_string()),
        ("sent", report.sent_count().to_string()),
        ("delivered", report.counts.delivered.to_string()),
        ("read", known(report.read)),
        ("answered", known(report.answered)),
        ("opted out", known(report.opted_out)),
        ("pending", report.counts.pending.to_string()),
        ("credits", credits(report)),
        ("duration", took.map_or_else(|| "unknown".to_owned(), format_precise_span)),
        ("failed", report.counts.failed.to_string()),
    ];
    let mut lines: Vec<Vec<String>> = totals.map(|(what, told)| vec![what.to_owned(), told]).into();
    let reasons = report.failures_by_reason();
    lines.extend(
        reasons.iter().map(|(why, count)| vec!["failed".to_owned(), count.to_string(), why.describe()]),
    );
    lines
}

/// Credits charged, else the price by the price list.
fn credits(report: &BroadcastReport) -> String {
    match (report.charge_text(), report.price()) {
        (Some(charged), _) => charged,
        (None, Some(price)) => format!("{} by the price list", price.describe()),
        (None, None) => "unknown".to_owned(),
    }
}

fn as_json(
    session: &Session,
    channel: &ChannelSync,
    id: &str,
    entry: &BoardEntry,
    report: &BroadcastReport,
) -> Value {
    let failure = |(reason, count): &(model::failures::FailureReason, i64)| {
        let told = |entry: &str| Some(entry.to_owned()).filter(|text| !text.is_empty());
        json!({"code": told(reason.code.as_str()), "reason": told(reason.text()), "count": count})
    };
    json!({
        "id": id,
        "channel": channel.spec().name,
        "test": session.is_test(channel),
        "status": entry.status_label().as_str(),
        "finished": !entry.is_open(),
        "people": report.people,
        "accepted": report.counts.recipients,
        "sent": report.sent_count(),
        "delivered": report.counts.delivered,
        "read": report.read,
        "answered": report.answered,
        "optedOut": report.opted_out,
        "pending": report.counts.pending,
        "failed": report.counts.failed,
        "failures": report.failures_by_reason().iter().map(failure).collect::<Vec<_>>(),
        "charged": report.charged,
        "balanceFell": report.balance_drop,
        "price": report.price().map(|price| json!({"least": price.min, "most": price.max})),
        "beganAt": report.started_at.map(|began| began.to_string()),
        "endedAt": report.ended_at.map(|time| time.to_string()),
        "seconds": report.duration(session.now()).map(|duration| duration / SECOND),
    })
}
