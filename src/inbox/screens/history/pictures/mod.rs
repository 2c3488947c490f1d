//! Pictures in the history: asked for by a key, or wanted by themselves in
//! channels whose configuration says so; never fetched from a host the person
//! has not been shown.

pub(crate) mod update;

use std::collections::BTreeMap;
use std::sync::Arc;

use model::links;
use model::messages::Message;
use model::pictures::Picture;

/// Pictures remembered at most.
const MOST: usize = 24;
/// Endings of files that are pictures.
const ENDINGS: [&str; 5] = [".jpg", ".jpeg", ".png", ".webp", ".gif"];

/// What is known of one picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureState {
    /// It is on its way.
    Fetching,
    Here(Arc<Picture>),
    /// It was here, and is hidden again.
    Hidden(Arc<Picture>),
    /// It cannot be shown, and why.
    Failed(String),
}

/// The pictures of this desk, and the hosts a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pictures {
    known: Vec<(String, PictureState)>,
    agreed: Vec<String>,
    /// Hosts whose voice notes may be fetched and sent to the model.
    heard: Vec<String>,
}

impl Pictures {
    /// Whether voice notes of a host may be fetched and sent to the model.
    pub(crate) fn may_hear(&self, host: &str) -> bool {
        self.heard.iter().any(|text| text == host)
    }

    /// A person agreed to a host's voice notes.
    pub(crate) fn allow_voice_host(&mut self, host: String) {
        self.heard.push(host);
    }

    /// What is known of a picture by its address.
    pub fn of(&self, url: &str) -> Option<&PictureState> {
        self.known.iter().find(|pair| pair.0 == url).map(|pair| &pair.1)
    }

    fn set(&mut self, url: &str, shown: PictureState) {
        self.known.retain(|pair| pair.0 != url);
        if self.known.len() == MOST {
            self.known.remove(0);
        }
        self.known.push((url.to_owned(), shown));
    }

    /// Rows each takes below its message, where so many columns are free.
    pub fn heights(&self, columns: usize) -> BTreeMap<String, usize> {
        let rows = |shown: &PictureState| match shown {
            PictureState::Here(picture) => Some(picture.size_in(columns).1),
            PictureState::Fetching | PictureState::Failed(_) => Some(1),
            PictureState::Hidden(_) => None,
        };
        self.known.iter().filter_map(|(url, shown)| Some((url.clone(), rows(shown)?))).collect()
    }
}

/// The address of the picture a message brings, if it brings one.
pub fn picture_of(message: &Message) -> Option<&str> {
    let url = message.media_url.as_ref()?.as_str();
    let name = links::file_name(url).unwrap_or_default().to_lowercase();
    let is_picture = matches!(message.content_type.as_str(), "image" | "photo" | "sticker")
        || ENDINGS.iter().any(|ending| name.ends_with(ending));
    links::host_of(url).filter(|_| is_picture).map(|_| url)
}
