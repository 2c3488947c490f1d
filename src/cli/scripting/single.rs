//! The one channel that a command is for.

use std::io::Read;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::cli::Misuse;
use crate::cli::scripting::{Common, Session};
use model::account::Platform;
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
            let known = all
                .filter(|channel_sync| session.platform(channel_sync).is_ok_and(|platform| fits(&platform)));
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

/// The channels of a kind: the named one, or all of them.
///
/// # Errors
/// When there is none; the words name those there are.
pub fn channels(
    session: &Session,
    common: &Common,
    kind: &str,
    fits: impl Fn(&Platform) -> bool,
) -> Result<Vec<Arc<ChannelSync>>> {
    if common.channel.is_some() {
        return Ok(vec![channel(session, common, kind, fits)?]);
    }
    let mut found = Vec::new();
    for channel in session.unmirrored(None)? {
        if fits(&session.platform(&channel)?) {
            found.push(channel);
        }
    }
    if found.is_empty() { Err(Misuse(format!("no {kind} channel is configured")).into()) } else { Ok(found) }
}

fn names(channels: &[Arc<ChannelSync>]) -> String {
    channels.iter().map(|channel| channel.spec().name.as_str()).collect::<Vec<_>>().join(", ")
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
