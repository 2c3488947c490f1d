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

/// Shows or hides the selected message's picture; asks first if its host is not confirmed.
pub(crate) fn toggle_picture(desk: &mut Desk, context: &mut Context) {
    let url = match current_picture(desk, context) {
        Ok(url) => url,
        Err(why) => return context.show_warning(context.fill_in_keys(why)),
    };
    match desk.pictures.state_of(&url).cloned() {
        Some(PictureState::Fetching) => context.show_notice("the picture is being fetched"),
        Some(PictureState::Shown(picture)) => desk.pictures.set_state(&url, PictureState::Hidden(picture)),
        Some(PictureState::Hidden(picture)) => desk.pictures.set_state(&url, PictureState::Shown(picture)),
        Some(PictureState::Failed(_)) | None => {
            let Some(host) = links::host_of(&url) else { return };
            if desk.pictures.allowed_hosts.contains(&host) {
                return fetch_picture(desk, &url, context);
            }
            ask_picture(context, url, host);
        }
    }
}

fn fetch_picture(desk: &mut Desk, url: &str, context: &mut Context) {
    desk.pictures.set_state(url, PictureState::Fetching);
    let channel = desk.tab().channel.id.clone();
    context.push(Effect::Request(OutsideRequest::Picture(PictureRequest { channel, url: url.to_owned() })));
}

pub(crate) fn picture_fetched(desk: &mut Desk, url: &str, fetched: FetchedPicture) {
    let shown = match fetched {
        Ok(picture) => PictureState::Shown(picture),
        Err(why) => PictureState::Failed(why),
    };
    desk.pictures.set_state(url, shown);
}

/// Fetches pictures on screen automatically, one at a time, in channels configured for it.
pub(crate) fn fetch_wanted_pictures(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab();
    let wanted = context.settings.graphics != Graphics::Off
        && context.settings.pictures_of.contains(&tab.channel.id)
        && desk.is_inbox_shown()
        && !desk.pictures.states.iter().any(|pair| pair.1 == PictureState::Fetching);
    let Some(history) = tab.history.as_ref().filter(|history| wanted && history.opened) else { return };
    let visible = history.visible_items();
    let messages = visible.into_iter().rev().filter_map(message_of);
    let mut urls = messages.filter_map(|message| picture_of(&message.message));
    let unknown = urls.find(|url| desk.pictures.state_of(url).is_none());
    if let Some(url) = unknown.map(str::to_owned) {
        fetch_picture(desk, &url, context);
    }
}

fn current_picture(desk: &Desk, context: &Context) -> Result<String, &'static str> {
    if context.settings.graphics == Graphics::Off {
        return Err("pictures are switched off in the configuration; {open-outside} opens the file outside");
    }
    let history =
        desk.tab().history.as_ref().filter(|history| history.loaded).ok_or("open the conversation first")?;
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
    url.map(str::to_owned).ok_or("this message has no picture; {open-outside} opens files and links outside")
}

/// Asks whether to fetch a picture and shows its address.
fn ask_picture(context: &mut Context, url: String, host: String) {
    let mut lines = destination_lines("Download from", &url, &host);
    lines.push(DialogLine::plain(
        "Its owner sees the download and your network address. No further question for this host until \
         frontdesk ends.",
    ));
    let fetch = move |inbox: &mut Inbox| {
        inbox.desk.pictures.allowed_hosts.push(host);
        fetch_picture(&mut inbox.desk, &url, &mut inbox.context);
    };
    let question = Confirm::new("Show the picture here?", lines);
    context.open(question.answer('y', "FETCH and show", fetch).no("not"));
}
