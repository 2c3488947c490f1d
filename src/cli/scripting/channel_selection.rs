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
            match suggested_channels(session, fits) {
                none if none.is_empty() => format!("{named}, and none is configured"),
                names => format!("{named}: {}", names.join(", ")),
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

/// Names of the configured channels of a kind, except those without a key or an answer of the server.
fn suggested_channels(session: &Session, fits: impl Fn(&Platform) -> bool) -> Vec<&str> {
    let files = &session.files;
    let is_suggested = |name: &&str| {
        let platform = || {
            let time_left = session.deadline.at().since(session.moment()).max(0);
            let other = Session::open(files.clone(), Some(*name), time_left)?;
            let channels = other.channels(None)?;
            channels.first().map(|channel| other.platform(channel)).transpose()
        };
        platform().is_ok_and(|platform: Option<Platform>| platform.is_some_and(|platform| fits(&platform)))
    };
    files.config.channels.iter().map(|channel| channel.name.as_str()).filter(is_suggested).collect()
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
