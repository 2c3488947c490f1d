//! Channels of a command, and their names in output.

use std::sync::Arc;

use anyhow::Result;

use crate::cli::scripting::Session;
use model::account::Environment;
use sync::ChannelSync;

impl Session {
    /// The named channel, or all but those whose TEST key shows the same data as a LIVE key.
    pub fn unmirrored_channels(&self, name: Option<&str>) -> Result<Vec<Arc<ChannelSync>>> {
        let mut channels = self.channels(name)?;
        if name.is_none() && channels.len() > 1 {
            for channel in &channels {
                // A failure is reported when the channel is used.
                let _ = self.platform(channel);
            }
            let mirrors = self.files.mirrored_channels(&self.reader)?;
            channels.retain(|channel| !mirrors.contains(&channel.spec().id));
        }
        Ok(channels)
    }

    /// True if the channel's key only validates and nothing is really sent.
    pub fn is_test(&self, channel: &ChannelSync) -> bool {
        let of_key = Environment::from_key(channel.spec().key.expose());
        let of_account = || self.files.is_test(&self.reader, &channel.spec().id).unwrap_or_default();
        of_key.map_or_else(of_account, |key| key == Environment::Test)
    }

    /// Name of a channel, with TEST if nothing is really sent.
    pub fn label(&self, channel: &ChannelSync) -> String {
        let name = &channel.spec().name;
        if self.is_test(channel) { format!("{name} (TEST)") } else { name.clone() }
    }
}
