use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::outside::OutsideRequest;
use crate::overlays::outside_link::destination_lines;
use crate::screens::history::message_of;
use crate::screens::history::pictures::{PictureState, picture_of};
use model::links;
use model::pictures::{FetchedPicture, Graphics, PictureRequest};

impl Desk {
    /// Shows or hides the selected message's picture; asks first if its host is not confirmed.
    pub(crate) fn toggle_picture(&mut self, context: &mut Context) {
        let url = match self.current_picture(context) {
            Ok(url) => url,
            Err(why) => return context.show_warning(context.fill_in_keys(why)),
        };
        match self.pictures.state_of(&url).cloned() {
            Some(PictureState::Fetching) => context.show_notice("the picture is on its way"),
            Some(PictureState::Shown(picture)) => {
                self.pictures.set_state(&url, PictureState::Hidden(picture))
            }
            Some(PictureState::Hidden(picture)) => {
                self.pictures.set_state(&url, PictureState::Shown(picture))
            }
            Some(PictureState::Failed(_)) | None => {
                let Some(host) = links::host_of(&url) else { return };
                if self.pictures.allowed_hosts.contains(&host) {
                    return self.fetch_picture(&url, context);
                }
                ask_picture(context, url, host);
            }
        }
    }

    fn fetch_picture(&mut self, url: &str, context: &mut Context) {
        self.pictures.set_state(url, PictureState::Fetching);
        let channel = self.tab().channel.id.clone();
        context
            .push(Effect::Request(OutsideRequest::Picture(PictureRequest { channel, url: url.to_owned() })));
    }

    pub(crate) fn picture_fetched(&mut self, url: &str, fetched: FetchedPicture) {
        let shown = match fetched {
            Ok(picture) => PictureState::Shown(picture),
            Err(why) => PictureState::Failed(why),
        };
        self.pictures.set_state(url, shown);
    }

    /// Fetches pictures on screen automatically, one at a time, in channels configured for it.
    pub(crate) fn fetch_wanted_pictures(&mut self, context: &mut Context) {
        let tab = self.tab();
        let wanted = context.settings.graphics != Graphics::Off
            && context.settings.pictures_of.contains(&tab.channel.id)
            && self.is_inbox_shown()
            && !self.pictures.states.iter().any(|pair| pair.1 == PictureState::Fetching);
        let Some(history) = tab.history.as_ref().filter(|history| wanted && history.opened) else { return };
        let visible = history.visible_items();
        let messages = visible.into_iter().rev().filter_map(message_of);
        let mut urls = messages.filter_map(|message| picture_of(&message.message));
        let unknown = urls.find(|url| self.pictures.state_of(url).is_none());
        if let Some(url) = unknown.map(str::to_owned) {
            self.fetch_picture(&url, context);
        }
    }

    fn current_picture(&self, context: &Context) -> Result<String, &'static str> {
        if context.settings.graphics == Graphics::Off {
            return Err(
                "pictures are switched off in the configuration; {open-outside} opens the file outside",
            );
        }
        let history = self
            .tab()
            .history
            .as_ref()
            .filter(|history| history.loaded)
            .ok_or("open the conversation first")?;
        let row = match history.selected_item() {
            Some(item) => message_of(item),
            None => history
                .items
                .iter()
                .rev()
                .filter_map(message_of)
                .find(|message_row| picture_of(&message_row.message).is_some()),
        };
        let url = row.and_then(|row| picture_of(&row.message));
        url.map(str::to_owned)
            .ok_or("this message has no picture; {open-outside} opens files and links outside")
    }
}

/// Asks whether to fetch a picture and shows its address.
fn ask_picture(context: &mut Context, url: String, host: String) {
    let mut lines = destination_lines("It would be fetched from", &url, &host);
    lines.push(DialogLine::plain(
        "Whoever runs it learns that it was looked at, and from where. Later ones of this host are \
         fetched without asking, until frontdesk ends.",
    ));
    let fetch = move |inbox: &mut Inbox| {
        inbox.desk.pictures.allowed_hosts.push(host);
        inbox.desk.fetch_picture(&url, &mut inbox.context);
    };
    let question = Confirm::new("Show the picture here?", lines);
    context.open(question.answer('y', "FETCH and show", fetch).no("not"));
}
