//! Mail: its account, its threads with their letters, its correspondents.
//! Interface: Endpoints, Email.
//!
//! A thread is a conversation: the list, sweeps, the open history and the
//! outbox treat it as one. Here is what only mail does.

mod account;
mod contacts;
mod filed;
mod fuzz;
pub mod html;
mod rules;
mod threads;

/// Makes text of a mail made by chance and looks whether it is only text.
pub fn fuzz_mail(seed: u64) -> Result<(), String> {
    fuzz::check(&html::as_text(&fuzz::document(seed)))
}
