//! Files of the person's own, answered on a thread of their own, and pictures:
//! a slow disk or a slow host holds up nothing else.
//!
//! Knows nothing of why something is asked.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use crate::app::event::Event;
use crate::app::outside::{Answered, Asked};
use crate::shell::files;
use crate::shell::mail_files::{self, MailFiles};
use crate::shell::mailbox::Mailbox;
use crate::shell::pictures::Viewer;
use crate::shell::replies::Folder;

/// What is known of the person's files.
#[derive(Debug)]
pub struct Outside {
    replies: Folder,
    viewer: Viewer,
    mail: MailFiles,
}

impl Outside {
    /// With canned replies in this folder, and with who fetches pictures.
    pub fn new(replies: PathBuf, viewer: Viewer) -> Self {
        Self { replies: Folder::new(replies), viewer, mail: MailFiles::default() }
    }

    /// The same with another folder for files that came with mail.
    #[must_use]
    pub fn saving_in(self, folder: PathBuf) -> Self {
        Self { mail: MailFiles::in_folder(folder), ..self }
    }

    /// Who fetches pictures.
    pub(super) fn viewer(&self) -> Viewer {
        self.viewer.clone()
    }

    /// Answers.
    pub fn answer(&mut self, asked: Asked) -> Answered {
        match asked {
            Asked::Replies => Answered::Replies(self.replies.read()),
            Asked::SaveFile { name, raw, source } => Answered::Saved(self.mail.save(&name, &raw, &source)),
            Asked::FileSize(path) => {
                let size = mail_files::size(&path);
                Answered::FileSized(path, size)
            }
            Asked::ShowMail(raw) => Answered::Shown(self.mail.show(&raw)),
            Asked::Picture(wanted) => self.viewer.answer(wanted),
            Asked::File { path, pasted } => {
                let (found, longer) = (files::look_at(&path), files::longer(&path));
                Answered::File { path, pasted, found, longer }
            }
        }
    }
}

/// Answers what is asked until nobody asks any more.
pub(super) fn answer_all(mut outside: Outside, queue: &Receiver<Asked>, mailbox: &Mailbox) {
    while let Ok(asked) = queue.recv() {
        mailbox.result(Event::Answered(outside.answer(asked)));
    }
}
