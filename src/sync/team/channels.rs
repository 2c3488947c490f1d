//! Looks for channels that were connected after this desk joined the team.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::team::{NewChannel, TeamSync};

const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Adds new channels until the session ends.
pub(super) async fn add(team: Arc<TeamSync>) {
    let Some(new_channels) = team.new_channels.clone() else { return };
    let (mut last_why, mut said) = (String::new(), BTreeSet::new());
    while !team.is_ended() {
        let add = Arc::clone(&new_channels.0);
        match tokio::task::spawn_blocking(move || add()).await {
            Ok(Ok(found)) => {
                for channel in found {
                    let words = match channel {
                        NewChannel::Connected(spec) => format!("The channel {} was connected", spec.name),
                        NewChannel::Notice(words) => words,
                    };
                    if said.insert(words.clone()) {
                        team.publish_notice(&words);
                    }
                }
            }
            // Said once; without a network every check fails.
            Ok(Err(why)) if why != last_why => {
                tracing::info!(why, "new channels of the team could not be added");
                last_why = why;
            }
            Ok(Err(_)) => {}
            Err(error) => tracing::warn!(%error, "new channels of the team could not be added"),
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}
