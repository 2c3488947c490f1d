//! Every OpenAPI operation is reachable on screen, in the palette, and by a script.

use std::collections::BTreeSet;

use clap::CommandFactory;
use frontdesk::inbox::command;
use frontdesk::inbox::command::{CommandScope, TABLE};
use frontdesk::inbox::keymap::KeyMap;
use serde_json::Value;

/// An operation, its commands on screen (each with a key), and its script subcommand.
type Way = (&'static str, &'static [&'static str], &'static str);

const WAYS: [Way; 42] = [
    ("getAccount", &["go-to-account", "show-credits"], "account"),
    ("sendMessage", &["reply", "write", "send", "template", "attach"], "send"),
    ("listMessages", &["refresh"], "events"),
    ("getMessage", &["raw"], "message"),
    ("reactToMessage", &["react", "remove-reaction"], "react"),
    ("listConversations", &["go-to-inbox", "refresh"], "list"),
    ("getConversation", &["open", "refresh"], "show"),
    ("updateConversation", &["pause-ai", "hand-back"], "pause"),
    ("listConversationMessages", &["open"], "show"),
    ("closeConversation", &["done"], "close"),
    ("listContacts", &["go-to-people", "search-rows"], "contacts list"),
    ("upsertContact", &["new-person", "edit-person", "tag-person"], "contacts create"),
    ("getContact", &["edit-person"], "contacts show"),
    ("deleteContact", &["delete-person"], "contacts delete"),
    ("createBroadcast", &["broadcast", "broadcast-people", "new-broadcast"], "broadcast send"),
    ("getBroadcast", &["go-to-broadcasts"], "broadcast watch"),
    ("listTemplates", &["go-to-templates", "template"], "templates"),
    ("uploadMedia", &["attach"], "upload"),
    ("sendTelegramMessage", &["reply", "write", "send"], "send"),
    ("listTelegramConversations", &["go-to-inbox", "refresh"], "list"),
    ("listTelegramMessages", &["open"], "show"),
    ("reactToTelegramMessage", &["react"], "react"),
    ("getEmailAccount", &["mail-folders", "refresh"], "mail account"),
    (
        "sendEmail",
        &["reply", "reply-all", "forward", "write-number", "accept", "decline", "maybe"],
        "mail send",
    ),
    ("listEmailThreads", &["go-to-inbox", "mail-folders"], "list"),
    ("getEmailThread", &["open"], "show"),
    ("updateEmailThread", &["star", "set-category", "unseen", "done"], "mail change"),
    ("listEmailContacts", &["mail-contacts"], "mail contacts"),
    ("listEmailWebhooks", &["go-to-webhooks"], "webhooks list"),
    ("createEmailWebhook", &["new-webhook"], "webhooks create"),
    ("deleteEmailWebhook", &["remove-webhook"], "webhooks delete"),
    ("listWebhooks", &["go-to-webhooks"], "webhooks list"),
    ("createWebhook", &["new-webhook"], "webhooks create"),
    ("deleteWebhook", &["remove-webhook"], "webhooks delete"),
    ("placeCall", &["call"], "call"),
    ("sendSms", &["reply", "write-number"], "sms"),
    ("listVoipConversations", &["go-to-phone"], "list"),
    ("pollNewMessages", &["go-to-events", "refresh"], "events"),
    ("pollNewContacts", &["go-to-events"], "events"),
    ("pollNewOrders", &["go-to-events"], "events"),
    ("pollNewAppointments", &["go-to-events"], "events"),
    ("pollCompletedCampaigns", &["go-to-events"], "events"),
];

/// Operations without a command on screen: the document, uploaded files, which are fetched like any link, and
/// the extensions of the service, which the doctor names.
const ADDED: [&str; 3] = ["getDocument", "getFile", "getDeskService"];

/// Tag of the operations for teams, which are beside the interface.
pub(crate) const TEAM_TAG: &str = "Team";

fn operations() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(include_str!("../../assets/openapi.json")).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").values();
    let all = paths.flat_map(|path| path.as_object().expect("a path").values());
    let of_interface = |value: &&Value| value["tags"][0] != TEAM_TAG;
    all.filter(of_interface).filter_map(|value| value["operationId"].as_str().map(str::to_owned)).collect()
}

#[test]
fn every_operation_is_in_the_table_once() {
    let wanted: BTreeSet<String> =
        operations().into_iter().filter(|operation| !ADDED.contains(&operation.as_str())).collect();
    let named: BTreeSet<String> = WAYS.iter().map(|way| way.0.to_owned()).collect();
    assert_eq!(named.len(), WAYS.len(), "an operation is named twice");
    let unreachable: Vec<_> = wanted.difference(&named).collect();
    assert!(unreachable.is_empty(), "nobody says how these are reached: {unreachable:?}");
    let unknown: Vec<_> = named.difference(&wanted).collect();
    assert!(unknown.is_empty(), "the document does not have these: {unknown:?}");
    assert!(wanted.len() > 40, "the document has lost its operations");
}

#[test]
fn every_command_at_the_screen_has_a_key_or_is_in_the_palette() {
    let map = KeyMap::default();
    for (operation, names, _) in WAYS {
        assert!(!names.is_empty(), "{operation} has no command");
        for name in names {
            // Palette and command line use the rows of the table.
            let row = TABLE.iter().find(|entry| command::name(entry.command) == *name);
            let row = row.unwrap_or_else(|| panic!("{operation}: no command is called {name}"));
            let is_in_palette = row.place != CommandScope::Composer;
            assert!(
                is_in_palette || !map.key_names(row.command).is_empty(),
                "{operation}: {name} has no key"
            );
        }
    }
}

#[test]
fn every_script_is_one_the_binary_knows() {
    let root = frontdesk::cli::Cli::command();
    for (operation, _, script) in WAYS {
        let mut at = &root;
        for word in script.split(' ') {
            at = at
                .find_subcommand(word)
                .unwrap_or_else(|| panic!("{operation}: no script is called {script}"));
        }
        assert!(!at.has_subcommands(), "{operation}: {script} is not a whole command");
    }
}
