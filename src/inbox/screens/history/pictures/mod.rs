//! Pictures in the history: requested by key, or automatically if the channel's configuration
//! allows. Nothing is fetched from a host the user has not been shown.

pub(crate) mod update;

use std::collections::BTreeMap;
use std::sync::Arc;

use model::links;
use model::messages::Message;
use model::pictures::Picture;

const MAX_PICTURES: usize = 24;
const PICTURE_EXTENSIONS: [&str; 5] = [".jpg", ".jpeg", ".png", ".webp", ".gif"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureState {
    Fetching,
    Shown(Arc<Picture>),
    /// Loaded, but hidden by the user.
    Hidden(Arc<Picture>),
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures {
    states: Vec<(String, PictureState)>,
    allowed_hosts: Vec<String>,
    /// Hosts whose voice notes may be fetched and sent to the model.
    allowed_voice_hosts: Vec<String>,
}

impl Pictures {
    pub(crate) fn is_voice_host_allowed(&self, host: &str) -> bool {
        self.allowed_voice_hosts.iter().any(|text| text == host)
    }

    pub(crate) fn allow_voice_host(&mut self, host: String) {
        self.allowed_voice_hosts.push(host);
    }

    pub fn state_of(&self, url: &str) -> Option<&PictureState> {
        self.states.iter().find(|pair| pair.0 == url).map(|pair| &pair.1)
    }

    fn set_state(&mut self, url: &str, shown: PictureState) {
        self.states.retain(|pair| pair.0 != url);
        if self.states.len() == MAX_PICTURES {
            self.states.remove(0);
        }
        self.states.push((url.to_owned(), shown));
    }

    /// Rows of each picture at this width, by address.
    pub fn heights(&self, columns: usize) -> BTreeMap<String, usize> {
        let rows = |shown: &PictureState| match shown {
            PictureState::Shown(picture) => Some(picture.size_in(columns).1),
            PictureState::Fetching | PictureState::Failed(_) => Some(1),
            PictureState::Hidden(_) => None,
        };
        self.states.iter().filter_map(|(url, shown)| Some((url.clone(), rows(shown)?))).collect()
    }
}

/// Address of the picture in a message, if it has one.
pub fn picture_of(message: &Message) -> Option<&str> {
    let url = message.media_url.as_ref()?.as_str();
    let name = links::file_name(url).unwrap_or_default().to_lowercase();
    let is_picture = matches!(message.content_type.as_str(), "image" | "photo" | "sticker")
        || PICTURE_EXTENSIONS.iter().any(|ending| name.ends_with(ending));
    links::host_of(url).filter(|_| is_picture).map(|_| url)
}
