//! Pictures in the history: asked for by a key, or wanted by themselves in
//! channels whose configuration says so; never fetched from a host the person
//! has not been shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Inbox;
use crate::event::Effect;
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::history::message_of;
use model::links;
use model::messages::Message;
use model::pictures::{Fetched, Graphics, Picture, PictureRequest};

/// Pictures remembered at most.
const MOST: usize = 24;
/// Endings of files that are pictures.
const ENDINGS: [&str; 5] = [".jpg", ".jpeg", ".png", ".webp", ".gif"];

/// What is known of one picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureState {
    /// It is on its way.
    Fetching,
    /// Here it is.
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
}

impl Pictures {
    /// What is known of a picture by its address.
    pub fn of(&self, url: &str) -> Option<&PictureState> {
        self.known.iter().find(|it| it.0 == url).map(|it| &it.1)
    }

    fn set(&mut self, url: &str, shown: PictureState) {
        self.known.retain(|it| it.0 != url);
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
        || ENDINGS.iter().any(|it| name.ends_with(it));
    links::host_of(url).filter(|_| is_picture).map(|_| url)
}

impl Inbox {
    /// Shows the selected message's picture here, or hides it again; asks
    /// first where its host was never shown.
    pub(crate) fn toggle_picture(&mut self) {
        let url = match self.picture_at_hand() {
            Ok(url) => url,
            Err(why) => return self.warn(self.keyed(why)),
        };
        match self.pictures.of(&url).cloned() {
            Some(PictureState::Fetching) => self.say("the picture is on its way"),
            Some(PictureState::Here(picture)) => self.pictures.set(&url, PictureState::Hidden(picture)),
            Some(PictureState::Hidden(picture)) => self.pictures.set(&url, PictureState::Here(picture)),
            Some(PictureState::Failed(_)) | None => {
                let Some(host) = links::host_of(&url) else { return };
                if self.pictures.agreed.contains(&host) {
                    return self.fetch_picture(&url);
                }
                self.open_layer(Layer::AskPicture { url, host });
            }
        }
    }

    /// The person has seen the host and agrees.
    pub(crate) fn agree_to_picture(&mut self, url: &str, host: String) {
        self.pictures.agreed.push(host);
        self.fetch_picture(url);
    }

    fn fetch_picture(&mut self, url: &str) {
        self.pictures.set(url, PictureState::Fetching);
        let channel = self.tab().channel.id.clone();
        self.context
            .push(Effect::Ask(OutsideRequest::Picture(PictureRequest { channel, url: url.to_owned() })));
    }

    /// A picture came, or why not.
    pub(crate) fn picture_fetched(&mut self, url: &str, fetched: Fetched) {
        let shown = match fetched {
            Ok(picture) => PictureState::Here(picture),
            Err(why) => PictureState::Failed(why),
        };
        self.pictures.set(url, shown);
    }

    /// In a channel that wants it, pictures on screen are fetched by
    /// themselves, one at a time.
    pub(crate) fn fetch_wanted_pictures(&mut self) {
        let tab = self.tab();
        let wanted = self.context.settings.graphics != Graphics::Off
            && self.context.settings.pictures_of.contains(&tab.channel.id)
            && self.is_inbox_shown()
            && !self.pictures.known.iter().any(|it| it.1 == PictureState::Fetching);
        let Some(history) = tab.history.as_ref().filter(|it| wanted && it.opened) else { return };
        let visible = history.visible_items();
        let messages = visible.into_iter().rev().filter_map(message_of);
        let mut urls = messages.filter_map(|it| picture_of(&it.message));
        let unknown = urls.find(|it| self.pictures.of(it).is_none());
        if let Some(url) = unknown.map(str::to_owned) {
            self.fetch_picture(&url);
        }
    }

    fn picture_at_hand(&self) -> Result<String, &'static str> {
        if self.context.settings.graphics == Graphics::Off {
            return Err(
                "pictures are switched off in the configuration; {open-outside} opens the file outside",
            );
        }
        let history =
            self.tab().history.as_ref().filter(|it| it.loaded).ok_or("open the conversation first")?;
        let row = match history.selected_item() {
            Some(item) => message_of(item),
            None => {
                history.items.iter().rev().filter_map(message_of).find(|it| picture_of(&it.message).is_some())
            }
        };
        let url = row.and_then(|it| picture_of(&it.message));
        url.map(str::to_owned)
            .ok_or("this message has no picture; {open-outside} opens files and links outside")
    }
}
