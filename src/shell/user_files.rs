//! Requests about the person's files and pictures, on threads of their own, so that a slow disk or host
//! delays nothing else.

use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use crate::config::edit;
use crate::shell::connections::DeskConnections;
use crate::shell::event_queue::EventQueue;
use crate::shell::exporting;
use crate::shell::files;
use crate::shell::mail_files::{self, MailFiles};
use crate::shell::pictures::PictureLoader;
use crate::shell::piping;
use crate::shell::receiving;
use crate::shell::replies::{self, ReplyFolder};
use crate::shell::suggesting::{DeskSuggestions, Suggester};
use inbox::event::Event;
use inbox::outside::{OutsideAnswer, OutsideRequest};
use inbox::screens::composer::canned::CannedReplies;
use inbox::screens::connections::requests::{ConnectionRequest, ConnectionResult};
use model::ids::ChannelId;
use model::outbox::content::MailAttachmentSource;
use store::Store;

#[derive(Debug)]
pub struct UserFiles {
    replies: ReplyFolder,
    viewer: PictureLoader,
    mail: MailFiles,
    desk_connections: Option<DeskConnections>,
    suggester: Option<Suggester>,
    store: Option<Store>,
    config: Option<PathBuf>,
}

impl UserFiles {
    /// `replies` is the folder of canned replies.
    pub fn new(replies: PathBuf, viewer: PictureLoader) -> Self {
        Self {
            replies: ReplyFolder::new(replies),
            viewer,
            mail: MailFiles::default(),
            desk_connections: None,
            suggester: None,
            store: None,
            config: None,
        }
    }

    #[must_use]
    pub fn with_save_folder(self, folder: PathBuf) -> Self {
        Self { mail: MailFiles::with_folder(folder), ..self }
    }

    /// Sets the settings file, `None` for none.
    #[must_use]
    pub fn with_config(self, config: Option<PathBuf>) -> Self {
        Self { config, ..self }
    }

    /// Sets the model for suggestions, `None` for none.
    #[must_use]
    pub fn with_suggester(self, suggester: Option<Suggester>) -> Self {
        Self { suggester, ..self }
    }

    /// Sets the store for suggestions.
    pub fn set_store(&mut self, store: Store) {
        self.store = Some(store);
    }

    pub fn set_connections(&mut self, linked: DeskConnections) {
        self.desk_connections = Some(linked);
    }

    /// Suggestions with their model and store.
    fn desk_suggestions(&self) -> DeskSuggestions {
        let viewer = Some(self.viewer.clone());
        DeskSuggestions { suggester: self.suggester.clone(), store: self.store.clone(), viewer }
    }

    pub(super) fn desk_connections(&self) -> Option<DeskConnections> {
        self.desk_connections.clone()
    }

    pub(super) fn viewer(&self) -> PictureLoader {
        self.viewer.clone()
    }

    /// Canned replies of this desk and its team.
    fn canned(&mut self) -> CannedReplies {
        let mut canned = self.replies.read();
        match self.store.as_ref().map(Store::shared_replies) {
            Some(Ok(shared)) if !shared.is_empty() => replies::add_shared(&mut canned, shared),
            Some(Err(error)) => canned.problems.push(format!("replies of the team: {error}")),
            _ => {}
        }
        canned
    }

    /// Shares a local reply, or removes a shared one. Returns what was done, in words.
    fn share_reply(&mut self, name: &str, is_shared: bool) -> Result<String, String> {
        let text = if is_shared { Some(self.replies.read_for_sharing(name)?) } else { None };
        let store = self.store.as_ref().ok_or("this desk keeps no files")?;
        let changed = store.change_shared_reply(name, text.as_deref());
        match changed.map_err(|error| format!("could not store it: {error}"))? {
            false => Err(format!("the team shares no reply {name}")),
            true if is_shared => Ok(format!("{name} is shared with the team")),
            true => Ok(format!("{name} is no longer shared with the team")),
        }
    }

    pub fn handle_request(&mut self, asked: OutsideRequest) -> OutsideAnswer {
        match asked {
            OutsideRequest::Connections(errand) => OutsideAnswer::Connections(match &self.desk_connections {
                Some(linked) => linked.run_request(*errand),
                None => no_connections_result(*errand),
            }),
            OutsideRequest::Secret => OutsideAnswer::Secret(receiving::generate_secret()),
            OutsideRequest::SaveFooter(footer) => OutsideAnswer::FooterSaved(
                self.config.as_ref().map_or(Ok(()), |config| edit::write_footer(config, footer)),
            ),
            OutsideRequest::Replies => OutsideAnswer::Replies(self.canned()),
            OutsideRequest::ShareReply { name, is_shared } => {
                OutsideAnswer::ReplyShared(self.share_reply(&name, is_shared))
            }
            OutsideRequest::Suggest(request) => {
                let replies = self.canned().replies.unwrap_or_default();
                let told = self.desk_suggestions().suggest(&request, &replies);
                OutsideAnswer::Suggested(request.id, told)
            }
            OutsideRequest::CancelSuggestion(id) => {
                if let Some(suggester) = &self.suggester {
                    suggester.cancel(*id);
                }
                OutsideAnswer::Cancelled
            }
            OutsideRequest::SaveFile { channel, name, raw, source } => OutsideAnswer::Saved(match source {
                MailAttachmentSource::Link(url) => self
                    .mail
                    .create(&name)
                    .and_then(|file| download(&self.viewer, (&channel, &url), &name, file)),
                source => self.mail.save(&name, &raw, &source),
            }),
            OutsideRequest::WriteText { file, text } => {
                OutsideAnswer::Saved(exporting::write_new(&text, &file))
            }
            OutsideRequest::FileSize(path) => {
                let size = mail_files::size(&path);
                OutsideAnswer::FileSized(path, size)
            }
            OutsideRequest::ShowMail(raw) => OutsideAnswer::Shown(self.mail.show(&raw)),
            OutsideRequest::Pipe { command, json } => {
                let told = piping::pipe(&command, &json);
                OutsideAnswer::Piped(command, told)
            }
            OutsideRequest::Picture(wanted) => self.viewer.load(wanted),
            OutsideRequest::File { path, pasted } => {
                let (found, longer) =
                    (files::find_attachments(&path, !pasted), files::complete_last_path(&path));
                OutsideAnswer::File { path, pasted, found, longer }
            }
        }
    }
}

/// Downloads a file into a new one. Returns its path; removes it if the download fails.
fn download(
    viewer: &PictureLoader,
    (channel, url): (&ChannelId, &str),
    name: &str,
    (mut file, path): (File, PathBuf),
) -> Result<String, String> {
    match viewer.download(channel, url, &mut file) {
        Ok(()) => Ok(path.display().to_string()),
        Err(why) => {
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::info!(path = %path.display(), %error, "an incomplete file could not be removed");
            }
            Err(format!("could not save {name}: {why}"))
        }
    }
}

/// Starts a request about connections.
pub(super) fn begin(linked: Option<&DeskConnections>, errand: ConnectionRequest, mailbox: &EventQueue) {
    let mailbox = mailbox.clone();
    match linked {
        Some(linked) => {
            linked.start_request(errand, move |answered| mailbox.result(Event::Answered(answered)))
        }
        None => mailbox.result(Event::Answered(OutsideAnswer::Connections(no_connections_result(errand)))),
    }
}

fn no_connections_result(errand: ConnectionRequest) -> ConnectionResult {
    match errand {
        ConnectionRequest::Call { slot, by_hand, .. } => {
            let mapped = Err("this desk has no connections".to_owned());
            ConnectionResult::Called { slot, by_hand, mapped }
        }
        ConnectionRequest::Log => ConnectionResult::Log(Vec::new()),
    }
}

/// Answers requests until the queue closes.
pub(super) fn run_requests(mut outside: UserFiles, queue: &Receiver<OutsideRequest>, mailbox: &EventQueue) {
    while let Ok(asked) = queue.recv() {
        match asked {
            OutsideRequest::Suggest(request) if outside.suggester.is_some() => {
                let replies = outside.canned().replies.unwrap_or_default();
                let (id, mailbox) = (request.id.clone(), mailbox.clone());
                // A brief by rules is shown until the model has answered.
                if let Some(meanwhile) = DeskSuggestions::interim_suggestion(&request, &replies) {
                    mailbox.result(Event::Answered(OutsideAnswer::Suggested(id.clone(), Ok(meanwhile))));
                }
                let tell = move |told| mailbox.result(Event::Answered(OutsideAnswer::Suggested(id, told)));
                outside.desk_suggestions().begin(*request, replies, tell);
            }
            OutsideRequest::SaveFile { channel, name, source: MailAttachmentSource::Link(url), .. } => {
                let (created, viewer) = (outside.mail.create(&name), outside.viewer.clone());
                let mailbox = mailbox.clone();
                // A large file takes minutes, in which other requests are answered.
                std::thread::spawn(move || {
                    let saved = created.and_then(|file| download(&viewer, (&channel, &url), &name, file));
                    mailbox.result(Event::Answered(OutsideAnswer::Saved(saved)));
                });
            }
            asked => mailbox.result(Event::Answered(outside.handle_request(asked))),
        }
    }
}
