//! Content of `send` other than plain text: a file, a link, a location, a template.

use clap::Args;

use crate::cli::CliError;
use crate::cli::scripting::writing::file_fingerprint;
use crate::cli::unfinished::CommandRefusal;
use crate::shell::files;
use model::account::Platform;
use model::attachments::{self, ReplyAttachment};
use model::ids::MessageId;
use model::outbox::Operation;
use model::outbox::content::{ChatContent, FilledTemplate, Json, MapLocation, MediaKind};
use model::places;

/// Values of `--as`.
const KINDS: [&str; 4] = ["image", "audio", "video", "document"];

/// The switches for what is more than a text.
#[derive(Debug, Args)]
pub struct ContentArguments {
    /// Upload this file and send it; the text is its caption.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["link", "location", "template"])]
    pub file: Option<String>,
    /// Send the file at this https address; the text is its caption.
    #[arg(long, value_name = "URL", conflicts_with_all = ["location", "template"])]
    pub link: Option<String>,
    /// Send the file or link as this kind instead of the detected one.
    #[arg(long = "as", value_name = "KIND", value_parser = KINDS)]
    pub kind: Option<String>,
    /// Send a location; the text is its name.
    #[arg(long, value_name = "LATITUDE,LONGITUDE", conflicts_with = "template", allow_hyphen_values = true)]
    pub location: Option<String>,
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
        let file = self.file.as_deref().map(file_fingerprint);
        let others =
            [&self.link, &self.kind, &self.location, &self.template, &self.language, &self.components];
        let others = others.into_iter().map(|part| part.clone().unwrap_or_default());
        std::iter::once(file.unwrap_or_default()).chain(others).collect()
    }

    /// Operations for a text with these switches.
    pub fn operations(
        &self,
        platform: &Platform,
        to: String,
        text: Option<String>,
        reply_to: Option<MessageId>,
    ) -> Result<Vec<Operation>, CliError> {
        let usage = |words: &str| CliError::Usage(words.to_owned());
        let content = |content| Ok(vec![Operation::SendContent { to: to.clone(), content, reply_to: None }]);
        if let Some(attachment) = self.attachment(platform)? {
            let caption = attachment.allows_caption(Some(platform));
            if text.is_some() && !caption {
                return Err(usage("audio has no caption on this channel: send the text separately"));
            }
            return Ok(vec![attachment.to_operation(&to, text, None, reply_to)]);
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
        if let (Some(name), Some(language)) = (&self.template, &self.language) {
            if text.is_some() {
                return Err(usage("a template has its own text; give its values with --components"));
            }
            let components = self.components.clone().map(Json);
            let (name, language) = (name.clone(), language.clone());
            return content(ChatContent::Template(FilledTemplate { name, language, components }));
        }
        let text = text.ok_or_else(|| usage("give a text, or --file, --link, --location or --template"))?;
        Ok(vec![Operation::SendText { to, text, reply_to }])
    }

    fn attachment(&self, platform: &Platform) -> Result<Option<ReplyAttachment>, CliError> {
        let refused = |why: String| CliError::Usage(format!("could not attach the file: {why}"));
        let mut attachment = match (&self.file, &self.link) {
            (Some(path), _) => {
                let unreadable =
                    |why| CommandRefusal::unreadable(path, format!("could not attach the file: {why}"));
                ReplyAttachment::file(files::inspect_file(path).map_err(unreadable)?)
            }
            (None, Some(url)) => match attachments::link_rejection_reason(url) {
                Some(why) => return Err(refused(why)),
                None => ReplyAttachment::link(url),
            },
            (None, None) => return Ok(None),
        };
        if let Some(kind) = self.kind.as_deref().and_then(MediaKind::from_word) {
            attachment.kind = kind;
        }
        match attachment.rejection_reason(Some(platform)) {
            Some(why) => Err(refused(why)),
            None => Ok(Some(attachment)),
        }
    }
}
