//! Invitations to events of a calendar, and the mails that answer them.

use serde::{Deserialize, Serialize};

use crate::email::MailMessage;
use crate::email::addresses;
use crate::ids::ThreadId;
use crate::outbox::content::Mail;
use crate::text::SafeText;
use crate::time::Timestamp;

crate::words! {
    /// Answer to an invitation, by the words of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum InvitationAnswer {
        Accepted = "accepted",
        Declined = "declined",
        Tentative = "tentative",
    }
}

impl InvitationAnswer {
    /// Label on the screen and beginning of the subject of an answer.
    pub fn label(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::Declined => "Declined",
            Self::Tentative => "Tentative",
        }
    }

    /// First sentence of an answer.
    fn sentence(self) -> &'static str {
        match self {
            Self::Accepted => "The invitation is accepted.",
            Self::Declined => "The invitation is declined.",
            Self::Tentative => "The invitation is tentatively accepted.",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Invitation {
    pub summary: SafeText,
    /// Time of the event in words.
    pub when: Option<SafeText>,
    /// Latest end of the event or its series; `None` if endless or unknown.
    pub ends_at: Option<Timestamp>,
    pub organizer: Option<SafeText>,
    /// Invited address of the mailbox; `None` if none of its addresses is.
    pub guest: Option<SafeText>,
    pub is_cancelled: bool,
    /// Last answer that was sent.
    pub response: Option<InvitationAnswer>,
}

impl Invitation {
    /// Returns the address that an answer goes to.
    ///
    /// # Errors
    /// The reason why the invitation cannot be answered.
    pub fn organizer_to_answer(&self) -> Result<&str, String> {
        if self.is_cancelled {
            return Err("the event was cancelled".to_owned());
        }
        if self.guest.is_none() {
            return Err("the invitation is not for an address of this mailbox".to_owned());
        }
        let organizer = self.organizer.as_ref().map(SafeText::as_str);
        organizer
            .filter(|address| addresses::is_address(address))
            .ok_or_else(|| "the invitation names no address of its organizer".to_owned())
    }

    pub fn is_over(&self, now: Timestamp) -> bool {
        self.ends_at.is_some_and(|end| end < now)
    }

    pub fn describe_state(&self) -> &'static str {
        match self.response {
            _ if self.is_cancelled => "Cancelled",
            Some(answer) => answer.label(),
            None if self.guest.is_none() => "For another address",
            None => "Not answered",
        }
    }
}

/// Composes the answer to the invitation in a mail.
///
/// # Errors
/// The reason why there is nothing to answer.
pub fn answer_invitation(
    letter: &MailMessage,
    thread: ThreadId,
    answer: InvitationAnswer,
    comment: &str,
) -> Result<Mail, String> {
    let Some(invitation) = &letter.invitation else { return Err("this mail has no invitation".to_owned()) };
    let organizer = invitation.organizer_to_answer()?.to_owned();
    let title = match invitation.summary.as_str() {
        "" => letter.subject.as_ref().map_or("event", SafeText::as_str),
        summary => summary,
    };
    let mut text = format!("{}\n\n{title}", answer.sentence());
    if let Some(when) = &invitation.when {
        text.push_str(&format!("\n{when}"));
    }
    if !comment.trim().is_empty() {
        text = format!("{}\n\n{text}", comment.trim());
    }
    let subject: String = format!("{}: {title}", answer.label());
    Ok(Mail {
        to: vec![organizer],
        subject: subject.chars().take(crate::bounds::MAX_SUBJECT_CHARS).collect(),
        text: Some(text),
        in_reply_to: letter.header_id.clone(),
        thread: Some(thread),
        invitation_response: Some(answer),
        ..Mail::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(invitation: Invitation) -> MailMessage {
        MailMessage {
            subject: Some(SafeText::line("Invitation: Test ride")),
            header_id: Some("<1@a.example>".to_owned()),
            invitation: Some(invitation),
            ..MailMessage::default()
        }
    }

    fn invitation() -> Invitation {
        Invitation {
            summary: SafeText::line("Test ride"),
            when: Some(SafeText::line("2026-11-27 09:00 to 10:00 UTC")),
            ends_at: Timestamp::parse("2026-11-27T10:00:00Z"),
            organizer: Some(SafeText::line("ann@a.example")),
            guest: Some(SafeText::line("desk@shop.example")),
            ..Invitation::default()
        }
    }

    #[test]
    fn answer_goes_to_the_organizer_and_names_the_event() {
        let mail =
            answer_invitation(&letter(invitation()), "t".into(), InvitationAnswer::Tentative, " Late? ");
        let mail = mail.expect("an answer");
        assert_eq!(
            (mail.to, mail.subject.as_str()),
            (vec!["ann@a.example".to_owned()], "Tentative: Test ride")
        );
        assert_eq!((mail.in_reply_to.as_deref(), mail.thread), (Some("<1@a.example>"), Some("t".into())));
        let text =
            "Late?\n\nThe invitation is tentatively accepted.\n\nTest ride\n2026-11-27 09:00 to 10:00 UTC";
        assert_eq!(mail.text.as_deref(), Some(text));
        assert_eq!(mail.invitation_response, Some(InvitationAnswer::Tentative));
    }

    #[test]
    fn refusals_say_why() {
        let cases = [
            (Invitation { is_cancelled: true, ..invitation() }, "the event was cancelled"),
            (
                Invitation { guest: None, ..invitation() },
                "the invitation is not for an address of this mailbox",
            ),
            (
                Invitation { organizer: Some(SafeText::line("ann")), ..invitation() },
                "the invitation names no address of its organizer",
            ),
        ];
        for (invitation, why) in cases {
            let refused = answer_invitation(&letter(invitation), "t".into(), InvitationAnswer::Accepted, "");
            assert_eq!(refused.err().as_deref(), Some(why));
        }
        let none = answer_invitation(&MailMessage::default(), "t".into(), InvitationAnswer::Accepted, "");
        assert_eq!(none.err().as_deref(), Some("this mail has no invitation"));
    }

    #[test]
    fn state_is_said_in_words() {
        let declined = Invitation { response: Some(InvitationAnswer::Declined), ..invitation() };
        let cases = [
            (invitation(), "Not answered"),
            (declined.clone(), "Declined"),
            (Invitation { is_cancelled: true, ..declined }, "Cancelled"),
            (Invitation { guest: None, ..invitation() }, "For another address"),
        ];
        for (invitation, words) in cases {
            assert_eq!(invitation.describe_state(), words);
        }
        let end = invitation().ends_at.expect("a time");
        assert!(invitation().is_over(end.plus(1)) && !invitation().is_over(end));
        assert!(!Invitation { ends_at: None, ..invitation() }.is_over(end.plus(1)));
    }
}
