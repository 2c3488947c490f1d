//! Content of `send` other than plain text: a file, a link, a location, a template.

use clap::{Args, ValueHint};

use crate::cli::CliError;
use crate::cli::scripting::writing::file_fingerprint;
use crate::cli::unfinished::CommandRefusal;
use crate::shell::files;
use model::account::{Account, Platform};
use model::attachments::{self, ReplyAttachment};
use model::contact_cards::{self, ContactToSend};
use model::ids::MessageId;
use model::outbox::Operation;
use model::outbox::content::{ChatContent, FilledTemplate, Json, MapLocation, MediaKind};
use model::places;
use model::stickers;

/// Values of `--as`.
const KINDS: [&str; 6] = ["image", "sticker", "audio", "voice", "video", "document"];

/// The switches for what is more than a text.
#[derive(Debug, Args)]
pub struct ContentArguments {
    /// Upload this file and send it; the text is the caption of the first. May be given several times, and be
    /// a quoted pattern such as "photos/*.jpg"; each file is a message of its own, in order.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with_all = ["link", "location", "template"])]
    pub file: Vec<String>,
    /// Send the file at this https address; the text is its caption.
    #[arg(long, value_name = "URL", conflicts_with_all = ["location", "template"])]
    pub link: Option<String>,
    /// Send the file or link as this kind instead of the detected one. A voice note needs OGG (Opus); a service
    /// without voice notes gets it as audio. A sticker needs WebP, on bot-chat also TGS or WebM.
    #[arg(long = "as", value_name = "KIND", value_parser = KINDS)]
    pub kind: Option<String>,
    /// Send a location; the text is its name.
    #[arg(long, value_name = "LATITUDE,LONGITUDE", conflicts_with = "template", allow_hyphen_values = true)]
    pub location: Option<String>,
    /// Send a contact card: a name, then a number with its country code.
    #[arg(long, value_name = "NAME +NUMBER", conflicts_with_all = ["file", "link", "location", "template"])]
    pub contact: Option<String>,
    /// The contact's company.
    #[arg(long, value_name = "NAME", requires = "contact")]
    pub company: Option<String>,
    /// Show a preview of the first link in the text.
    #[arg(long, conflicts_with_all = ["no_preview", "file", "link", "location", "contact", "template"])]
    pub preview: bool,
    /// Show no link preview.
    #[arg(long, conflicts_with_all = ["file", "link", "location", "contact", "template"])]
    pub no_preview: bool,
    /// Send this approved template.
    #[arg(long, value_name = "NAME", requires = "language")]
    pub template: Option<String>,
    /// The template's language code.
    #[arg(long, value_name = "CODE", requires = "template")]
    pub language: Option<String>,
    /// The template's components with their values, as a JSON array.
    #[arg(long, value_name = "JSON", requires = "template")]
    pub components: Option<String>,
}

impl ContentArguments {
    /// Content as part of the idempotency fingerprint.
    pub fn request_parts(&self) -> Vec<String> {
        let paths = self.file.iter().flat_map(|path| match files::inspect_pattern(path) {
            Ok(found) if found.len() > 1 => found.into_iter().map(|facts| facts.path).collect(),
            _ => vec![path.clone()],
        });
        let files: Vec<String> = paths.map(|path| file_fingerprint(&path)).collect();
        let others =
            [&self.link, &self.kind, &self.location, &self.template, &self.language, &self.components];
        let others = others.into_iter().map(|part| part.clone().unwrap_or_default());
        let preview = self.wanted_preview().map(|is_shown| is_shown.to_string());
        let card = [("contact", &self.contact), ("company", &self.company), ("preview", &preview)];
        let card = card.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)));
        std::iter::once(files.join("\n")).chain(others).chain(card).collect()
    }

    /// Switch of the link preview, if one was given.
    fn wanted_preview(&self) -> Option<bool> {
        (self.preview || self.no_preview).then_some(self.preview)
    }

    /// Returns the reason why a channel has not what was asked for, whatever its service offers.
    pub fn channel_rejection_reason(&self, platform: &Platform) -> Option<String> {
        if matches!(platform, Platform::Whatsapp | Platform::Telegram) {
            return None;
        }
        if self.kind.as_deref() == Some(MediaKind::Sticker.word()) {
            return stickers::channel_rejection_reason(Some(platform));
        }
        if self.contact.is_some() {
            return Some(contact_cards::missing_reason(Some(platform)));
        }
        self.wanted_preview().map(|_| missing_preview_reason(platform))
    }

    /// Operations for a text with these switches; several files are a message each. `by_setting` is the setting
    /// of the link preview.
    pub fn operations(
        &self,
        (platform, account, by_setting): (&Platform, Option<&Account>, Option<bool>),
        to: String,
        text: Option<String>,
        reply_to: Option<MessageId>,
    ) -> Result<Vec<Operation>, CliError> {
        let usage = |words: &str| CliError::Usage(words.to_owned());
        let content = |content| Ok(vec![Operation::SendContent { to: to.clone(), content, reply_to: None }]);
        let attached = self.attachments(platform, account)?;
        if let Some((first, others)) = attached.split_first() {
            let caption = first.allows_caption(Some(platform));
            if text.is_some() && !caption {
                let what = if first.kind == MediaKind::Sticker {
                    "a sticker has no caption"
                } else {
                    "audio has no caption on this channel"
                };
                return Err(usage(&format!("{what}: send the text separately")));
            }
            let first = first.to_operation(&to, text, None, reply_to);
            let others = others.iter().map(|other| other.to_operation(&to, None, None, None));
            return Ok(std::iter::once(first).chain(others).collect());
        }
        if self.kind.is_some() {
            return Err(usage("--as needs --file or --link"));
        }
        if let Some(place) = &self.location {
            let wanted = || usage("--location needs latitude and longitude, such as 51.5007,-0.1246");
            let (latitude, longitude) = places::parse_coordinates(place).ok_or_else(wanted)?;
            let degrees = |text: &str, most| places::parse_degrees(text, most).map_err(|_| wanted());
            let (latitude, longitude) = (degrees(&latitude, 90)?, degrees(&longitude, 180)?);
            return content(ChatContent::Location(MapLocation {
                latitude,
                longitude,
                name: text,
                address: None,
            }));
        }
        if let Some(line) = &self.contact {
            if text.is_some() {
                return Err(usage("a contact has no text: send the text separately"));
            }
            if !account.is_some_and(|account| account.takes_contacts) {
                return Err(CliError::Usage(contact_cards::missing_reason(Some(platform))));
            }
            let card = ContactToSend::parse(line, self.company.as_deref())
                .map_err(|why| CliError::Usage(format!("--contact: {why}")))?;
            return Ok(vec![Operation::SendContent { to, content: ChatContent::Contact(card), reply_to }]);
        }
        if let (Some(name), Some(language)) = (&self.template, &self.language) {
            if text.is_some() {
                return Err(usage("a template has its own text; give its values with --components"));
            }
            let components = self.components.clone().map(Json);
            let (name, language) = (name.clone(), language.clone());
            return content(ChatContent::Template(FilledTemplate { name, language, components }));
        }
        let text =
            text.ok_or_else(|| usage("give a text, or --file, --link, --location, --contact or --template"))?;
        let takes_preview = account.is_some_and(|account| account.takes_link_preview);
        if self.wanted_preview().is_some() && !takes_preview {
            return Err(CliError::Usage(missing_preview_reason(platform)));
        }
        let preview = self.wanted_preview().or(by_setting).filter(|_| takes_preview);
        Ok(vec![Operation::chat_text(&to, text, None, preview).with_quote(reply_to)])
    }

    fn attachments(
        &self,
        platform: &Platform,
        account: Option<&Account>,
    ) -> Result<Vec<ReplyAttachment>, CliError> {
        let takes_voice = account.is_some_and(|account| account.takes_voice);
        let takes_stickers = account.is_some_and(|account| account.takes_stickers);
        let refused = |why: String| CliError::Usage(format!("could not attach the file: {why}"));
        let mut attached = Vec::new();
        for path in &self.file {
            let unreadable =
                |why| CommandRefusal::unreadable(path, format!("could not attach the file: {why}"));
            let found = files::inspect_pattern(path).map_err(unreadable)?;
            attached = attachments::merge(attached, found.into_iter().map(ReplyAttachment::file).collect());
        }
        if let Some(url) = &self.link {
            if let Some(why) = attachments::link_rejection_reason(url) {
                return Err(refused(why));
            }
            attached.push(ReplyAttachment::link(url));
        }
        for attachment in &mut attached {
            attachment.kind = match self.kind.as_deref().and_then(MediaKind::from_word) {
                Some(MediaKind::Sticker) if !takes_stickers => {
                    let other =
                        || "this service sends no stickers: send it as an image or a document".to_owned();
                    return Err(refused(
                        stickers::channel_rejection_reason(Some(platform)).unwrap_or_else(other),
                    ));
                }
                Some(MediaKind::Voice) if !takes_voice => MediaKind::Audio,
                chosen => chosen.unwrap_or(attachment.kind),
            };
            if let Some(why) = attachment.rejection_reason(Some(platform)) {
                return Err(refused(format!("{}: {why}", attachment.name())));
            }
        }
        attachments::excess_reason(&attached).map_or(Ok(attached), |why| Err(refused(why)))
    }
}

fn missing_preview_reason(platform: &Platform) -> String {
    format!("{} has no link previews to switch: leave out --preview and --no-preview", platform.label())
}
