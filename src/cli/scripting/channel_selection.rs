//! Selects the one channel of a command.

use std::io::Read;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::cli::UsageError;
use crate::cli::scripting::{Common, Session};
use model::account::Platform;
use sync::ChannelSync;

/// The named channel, or the only one of its kind.
///
/// # Errors
/// When there is none or more than one, with the names of the candidates.
pub fn resolve_channel(
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
            // A channel whose server does not answer is not suggested.
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
    Err(UsageError(told).into())
}

/// The named channel, or all of a kind.
///
/// # Errors
/// When there is none, with the names of the candidates.
pub fn resolve_channels(
    session: &Session,
    common: &Common,
    kind: &str,
    fits: impl Fn(&Platform) -> bool,
) -> Result<Vec<Arc<ChannelSync>>> {
    if common.channel.is_some() {
        return Ok(vec![resolve_channel(session, common, kind, fits)?]);
    }
    let mut found = Vec::new();
    for channel in session.unmirrored_channels(None)? {
        if fits(&session.platform(&channel)?) {
            found.push(channel);
        }
    }
    if found.is_empty() {
        Err(UsageError(format!("no {kind} channel is configured")).into())
    } else {
        Ok(found)
    }
}

fn names(channels: &[Arc<ChannelSync>]) -> String {
    channels.iter().map(|channel| channel.spec().name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the text; `-` reads it from standard input.
pub fn text(given: &str) -> Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("could not read the text from standard input")?;
    Ok(text)
}
