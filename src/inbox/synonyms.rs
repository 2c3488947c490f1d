//! Other words a person may type in the palette for a command.

use crate::command::Command;

/// Lower case; commands that are found by their own name have no row.
const SYNONYMS: &[(Command, &[&str])] = {
    use Command as C;
    &[
        (C::Reply, &["answer", "respond", "write back"]),
        (C::Accept, &["invitation", "calendar", "rsvp", "yes", "attend", "meeting"]),
        (C::Decline, &["invitation", "calendar", "rsvp", "no", "reject"]),
        (C::Maybe, &["invitation", "calendar", "rsvp", "tentative", "perhaps"]),
        (C::WriteNote, &["comment", "internal", "private"]),
        (C::WriteNumber, &["compose", "new message", "sms"]),
        (C::Call, &["phone", "dial", "ring"]),
        (C::Template, &["hsm", "approved message"]),
        (C::SendContact, &["vcard", "contact card", "address card"]),
        (C::LinkPreview, &["preview", "url preview", "thumbnail"]),
        (C::Canned, &["snippet", "saved reply", "shortcut", "quick reply"]),
        (C::Brief, &["summary", "summarize", "context"]),
        (C::Summarise, &["summarize", "recap"]),
        (C::Translate, &["language"]),
        (C::Transcribe, &["voice", "speech to text"]),
        (C::Take, &["take over", "takeover", "assign", "claim", "own", "mine"]),
        (C::PauseAi, &["stop ai", "mute", "disable ai"]),
        (C::HandBack, &["resume", "unpause", "return", "give back", "enable ai", "start ai"]),
        (C::DraftOnly, &["suggest only", "copilot"]),
        (C::Done, &["resolve", "close", "archive", "finish", "end"]),
        (C::Later, &["snooze", "remind", "reminder", "postpone", "defer", "call back"]),
        (C::GoToSnoozed, &["later", "reminders", "postponed"]),
        (C::Claim, &["assign", "take", "release", "unassign"]),
        (C::Tags, &["label"]),
        (C::Unseen, &["unread", "mark as read"]),
        (C::Undo, &["take back", "revert", "cancel", "recall"]),
        (C::Repeat, &["again", "redo"]),
        (C::NextUrgent, &["next customer", "who waits", "most urgent", "priority", "important"]),
        (C::Card, &["profile", "customer", "details", "contact"]),
        (C::LookUp, &["orders", "crm", "shop"]),
        (C::AskConnection, &["endpoint", "connection", "call endpoint"]),
        (C::OpenOutside, &["attachment", "download", "link", "file"]),
        (C::Elsewhere, &["other channel", "same person"]),
        (C::Raw, &["json", "source"]),
        (C::Broadcast, &["campaign", "bulk message", "mass message"]),
        (C::GoToBroadcasts, &["campaigns"]),
        (C::FilterList, &["narrow", "find"]),
        (C::ChooseView, &["folder", "saved filter"]),
        (C::SearchAll, &["find", "look for"]),
        (C::FindInHistory, &["search"]),
        (C::React, &["emoji", "like", "thumbs up"]),
        (C::MarkSpam, &["junk"]),
        (C::DeleteThread, &["trash", "remove"]),
        (C::MoveThread, &["folder"]),
        (C::Star, &["flag", "favourite", "favorite"]),
        (C::MakeRule, &["filter sender", "automate", "always"]),
        (C::NeedsYou, &["attention", "urgent", "handover", "digest", "to do"]),
        (C::GoToOutbox, &["queue", "pending", "unsent", "failed"]),
        (C::GoToDrafts, &["unsent"]),
        (C::GoToPeople, &["contacts", "customers"]),
        (C::NewTemplate, &["submit template", "create template", "approval"]),
        (C::GoToTemplates, &["approved messages"]),
        (C::GoToWebhooks, &["integrations", "notifications"]),
        (C::GoToEvents, &["triggers", "log"]),
        (C::GoToAccount, &["balance", "plan", "key", "prices"]),
        (C::GoToWall, &["overview", "dashboard", "big screen"]),
        (C::GoToInbox, &["home", "conversations", "list"]),
        (C::GoToPhone, &["calls"]),
        (C::ShowCredits, &["money", "spending", "balance", "cost"]),
        (C::ShowServiceLevels, &["sla", "response time", "statistics by person", "report"]),
        (C::ShowDone, &["audit", "log", "activity"]),
        (C::ShowReviews, &["quality", "rate answers"]),
        (C::ShowProposals, &["suggestions", "approve"]),
        (C::ShowCalls, &["api", "network", "errors", "log"]),
        (C::ShowUnreadable, &["broken", "errors"]),
        (C::ShowResults, &["bulk results"]),
        (C::ShowRules, &["automation", "filters"]),
        (C::MailFolders, &["labels", "mailboxes", "archive"]),
        (C::Zoom, &["full screen", "maximize"]),
        (C::Footer, &["hints", "status line"]),
        (C::Refresh, &["reload", "sync"]),
        (C::ShowActions, &["menu", "context"]),
        (C::DeletePerson, &["erase", "forget", "gdpr"]),
        (C::BroadcastPeople, &["campaign"]),
        (C::CopyTranscript, &["export", "copy conversation"]),
        (C::Help, &["keys", "shortcuts", "?"]),
        (C::Quit, &["exit", "leave"]),
    ]
};

/// Synonyms of a command, in lower case.
pub fn of(command: Command) -> &'static [&'static str] {
    SYNONYMS.iter().find(|(other, _)| *other == command).map_or(&[], |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{self, TABLE};

    #[test]
    fn synonyms_are_plain_lower_case_and_no_name_of_their_command() {
        for (command, words) in SYNONYMS {
            let name = command::name(*command);
            for word in *words {
                assert!(*word == word.to_lowercase() && !word.is_empty(), "{name}: {word}");
                assert_ne!(name, *word, "the name itself is found");
            }
            let rows = SYNONYMS.iter().filter(|(other, _)| other == command).count();
            assert_eq!(rows, 1, "{name} has one row");
        }
        assert!(SYNONYMS.len() < TABLE.len());
    }
}
