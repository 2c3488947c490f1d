//! One change on one channel, through the outbox, for scripts.

use std::io::Read;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::cli::scripting::confirming::{RefusedRow, confirmed};
use crate::cli::scripting::{Common, Session};
use crate::cli::{Misuse, print};
use client::{Enclosed, prepare_with};
use model::account::Platform;
use model::outbox::Operation;
use store::outbox::NewRow;
use sync::ChannelSync;

/// The one channel a change is for: the named one, or the only one of its kind.
///
/// # Errors
/// When there is none, or more than one; the words name those there are.
pub fn channel(
    session: &Session,
    common: &Common,
    kind: &str,
    fits: impl Fn(&Platform) -> bool,
) -> Result<Arc<ChannelSync>> {
    let mut found = Vec::new();
    let mut others = Vec::new();
    for channel in session.channels(common.channel.as_deref())? {
        let platform = session.platform(&channel)?;
        if fits(&platform) { found.push(channel) } else { others.push((channel, platform)) }
    }
    let told = match (found.as_slice(), common.channel.is_some(), others.first()) {
        ([_], ..) => return found.pop().context("nothing was found"),
        ([], true, Some((named, platform))) => {
            let named = format!("{} is {}; this needs a {kind} channel", named.spec().name, platform.label());
            let all = session.channels(None)?.into_iter();
            // One whose server does not answer is none to advise.
            let known = all.filter(|it| session.platform(it).is_ok_and(|it| fits(&it)));
            match names(&known.collect::<Vec<_>>()) {
                none if none.is_empty() => format!("{named}, and none is configured"),
                names => format!("{named}: {names}"),
            }
        }
        ([], ..) => format!("no {kind} channel is configured"),
        (several, ..) => {
            format!("several {kind} channels are configured; name one with --channel: {}", names(several))
        }
    };
    Err(Misuse(told).into())
}

fn names(channels: &[Arc<ChannelSync>]) -> String {
    channels.iter().map(|it| it.spec().name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A text as it was given; `-` reads it from standard input.
pub fn text(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("reading the text from standard input")?;
    Ok(text)
}

/// Queues a change and waits until the server has confirmed it; what the server
/// made of it, if anything.
pub fn carry_out(
    session: &Session,
    channel: &ChannelSync,
    operation: Operation,
    enclosed: Enclosed<'_>,
) -> Result<Option<String>> {
    if channel.spec().read_only {
        bail!("{} is read-only", channel.spec().name);
    }
    let platform = session.platform(channel)?;
    let lane = operation.lane(None).context("it is not clear whom it is for")?;
    let request = prepare_with(&platform, &lane, &operation, enclosed)?;
    let row = NewRow::at_once(channel.spec().id.clone(), lane, operation, request);
    let queued = session.store().enqueue_many(vec![row], false, session.now())?;
    let row = queued.first().context("nothing was queued")?;
    confirmed(session, channel, std::slice::from_ref(&row.id), RefusedRow::GivenUp)?;
    Ok(session.store().made(&row.id)?)
}

/// Says what was done: on which channel, about what, and what the server made.
pub fn said(
    session: &Session,
    channel: &ChannelSync,
    common: &Common,
    done: &str,
    about: (&str, &str),
    made: Option<(&str, String)>,
) -> Result<()> {
    let name = &channel.spec().name;
    if common.json {
        let mut told = json!({"ok": true, "done": done, "channel": name, "test": session.is_test(channel)});
        told[about.0] = about.1.into();
        if let Some((word, made)) = made {
            told[word] = Value::String(made);
        }
        return print::json(&told);
    }
    let made = made.map(|(_, it)| format!(" ({it})")).unwrap_or_default();
    print::line(&format!("{done}: {} on {}{made}", about.1, session.label(channel)))
}
