//! Mail: its account, threads with their messages, and correspondents.
//!
//! A thread is a conversation: list, sweep, open history and outbox treat it as one. This module holds
//! the parts specific to mail.

mod account;
mod contacts;
mod filed;
mod fuzz;
pub mod html;
mod rules;
mod threads;

/// Converts a random mail and checks that the result is only text.
pub fn fuzz_mail(seed: u64) -> Result<(), String> {
    fuzz::check_is_text(&html::html_to_text(&fuzz::build_document(seed)))
}
