//! Plain mode reads out every page and every popup, whatever the size of the screen.

use std::collections::BTreeSet;
use std::path::Path;

use frontdesk::inbox::event::Event;
use frontdesk::inbox::keys::{KeyCode, KeyPress};
use frontdesk::inbox::pages::PageKind;
use frontdesk::inbox::plain::pages::place_lines;
use frontdesk::service::demo::shop_api;
use serde_json::json;

use crate::desk::{Desk, direct};
use crate::stories::mail::calm;

const MARIA: &str = "+34600111222";

/// Types that implement `Overlay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Popup {
    AttachForm,
    AwaitedAnswer,
    BadAnswerForm,
    BroadcastForm,
    CallForm,
    CommandPalette,
    ComposerMenu,
    Confirm,
    ContinueForm,
    DeletePersonPrompt,
    EmojiPicker,
    EndpointForm,
    EndpointPicker,
    Help,
    LinePrompt,
    ListOverlay,
    MacroMenu,
    MailMenu,
    MailReview,
    NewTemplateForm,
    PersonForm,
    Preflight,
    RawJson,
    ReactionPicker,
    ReplyConflictPrompt,
    ReplyPicker,
    RichForm,
    RuleList,
    SearchPrompt,
    SnoozeMenu,
    SuggestionPanel,
    TagEditor,
    TeamPage,
    TemplateForm,
    TemplatePicker,
    TextPrompt,
    TextView,
    ViewMenu,
    WebhookForm,
    WebhookQuestion,
}

const POPUPS: [Popup; 40] = [
    Popup::AttachForm,
    Popup::AwaitedAnswer,
    Popup::BadAnswerForm,
    Popup::BroadcastForm,
    Popup::CallForm,
    Popup::CommandPalette,
    Popup::ComposerMenu,
    Popup::Confirm,
    Popup::ContinueForm,
    Popup::DeletePersonPrompt,
    Popup::EmojiPicker,
    Popup::EndpointForm,
    Popup::EndpointPicker,
    Popup::Help,
    Popup::LinePrompt,
    Popup::ListOverlay,
    Popup::MacroMenu,
    Popup::MailMenu,
    Popup::MailReview,
    Popup::NewTemplateForm,
    Popup::PersonForm,
    Popup::Preflight,
    Popup::RawJson,
    Popup::ReactionPicker,
    Popup::ReplyConflictPrompt,
    Popup::ReplyPicker,
    Popup::RichForm,
    Popup::RuleList,
    Popup::SearchPrompt,
    Popup::SnoozeMenu,
    Popup::SuggestionPanel,
    Popup::TagEditor,
    Popup::TeamPage,
    Popup::TemplateForm,
    Popup::TemplatePicker,
    Popup::TextPrompt,
    Popup::TextView,
    Popup::ViewMenu,
    Popup::WebhookForm,
    Popup::WebhookQuestion,
];

/// A desk with an open popup or page, the beginning of its title, and a text of its chosen row or, without
/// rows, of its content.
type Opened = (Desk, &'static str, &'static str);

impl Popup {
    fn open(self) -> Opened {
        match self {
            Self::AttachForm => attach_form(),
            Self::AwaitedAnswer => awaited_answer(),
            Self::BadAnswerForm => bad_answer_form(),
            Self::BroadcastForm => broadcast_form(),
            Self::CallForm => call_form(),
            Self::CommandPalette => command_palette(),
            Self::ComposerMenu => (composing("<Ctrl-O>", ""), "Write or send", "> t approved template"),
            Self::Confirm => (ai_on("<Enter>i", "Hello"), "The AI is on", "[y] pause the AI and send"),
            Self::ContinueForm => continue_form(),
            Self::DeletePersonPrompt => (chat("gpD"), "DELETE", "Maria Lopez"),
            Self::EmojiPicker => (composing("", ":smirk\t"), "Emoji, smirk", ":smirk:"),
            Self::EndpointForm => (parcel_form(), "shop, parcel", "Order number"),
            Self::EndpointPicker => (connected("!"), "Call a connection", "> shop · "),
            Self::Help => (chat("?"), "Keys, Conversation list", "t: take"),
            Self::LinePrompt => line_prompt(),
            Self::ListOverlay => list_overlay(),
            Self::MacroMenu => (chat("m"), "Macros", "No macros yet"),
            Self::MailMenu => mail_menu(),
            Self::MailReview => mail_review(),
            Self::NewTemplateForm => (chat("gta"), "New template", "Category"),
            Self::PersonForm => (chat("gpe"), "+34600111222 Maria Lopez", "Maria Lopez"),
            Self::Preflight => preflight(),
            Self::RawJson => (composing("<Ctrl-O>r", ""), "Not a JSON object", "JSON"),
            Self::ReactionPicker => (chat("<Enter>+"), "React, free", "> 1 👍"),
            Self::ReplyConflictPrompt => reply_conflict_prompt(),
            Self::ReplyPicker => (chat("<Enter>c"), "Canned replies", "No canned replies"),
            Self::RichForm => rich_form(),
            Self::RuleList => rule_list(),
            Self::SearchPrompt => search_prompt(),
            Self::SnoozeMenu => (chat("s"), "Later: Maria Lopez", "[t] until tomorrow"),
            Self::SuggestionPanel => suggestion_panel(),
            Self::TagEditor => tag_editor(),
            Self::TeamPage => team_page(),
            Self::TemplateForm => template_form(),
            Self::TemplatePicker => template_picker(),
            Self::TextPrompt => (composing("", "It is ready<Ctrl-L>"), "Send when?", "> When:"),
            Self::TextView => (chat("="), "conversation ", "Maria Lopez"),
            Self::ViewMenu => (chat("v"), "Views", "> "),
            Self::WebhookForm => (webhook(), "New webhook", "> address https://shop.example/hook"),
            Self::WebhookQuestion => webhook_question(),
        }
    }
}

fn attach_form() -> Opened {
    (composing("<Ctrl-O>a", "/photos/b"), "Attach a file", "> path or link /photos/b")
}

fn awaited_answer() -> Opened {
    let mut desk = parcel_form();
    desk.types("1041");
    // The request is not performed, so the popup waits.
    desk.app.update(Event::Key(KeyPress::plain(KeyCode::Enter)));
    (desk, "Asking", "Calling shop · parcel…")
}

fn bad_answer_form() -> Opened {
    let mut desk = sample("");
    desk.app.context.settings.review_one_in = 1;
    desk.keys(":").types("open --name Maria Lopez").keys("<Enter>").settle();
    desk.run_command("show-reviews").keys("x");
    (desk, "A bad answer", "it is wrong")
}

fn broadcast_form() -> Opened {
    (broadcast("We open at 9."), "New broadcast, Harbor chat", "> text We open at 9.")
}

fn call_form() -> Opened {
    let mut desk = sample("4");
    desk.keys("C").types("Your repair is ready");
    (desk, "Call", "Your repair is ready")
}

fn command_palette() -> Opened {
    let mut desk = chat("<Ctrl-P>");
    desk.types("later");
    (desk, "Find a command or place, later", "> command, later · Snooze")
}

fn continue_form() -> Opened {
    let mut desk = broadcast("We open at 9.");
    desk.keys("<Ctrl-X>y").run_command("pause-broadcast").run_command("continue-broadcast");
    (desk, "Continue the broadcast?", "Stop above: 5")
}

fn line_prompt() -> Opened {
    let mut desk = chat("f");
    desk.types("lopez");
    (desk, "Filter the list", "> filter / lopez")
}

fn list_overlay() -> Opened {
    let mut desk = chat("t");
    desk.settle().run_command("show-done");
    (desk, "Done from this desk", "Maria Lopez")
}

fn mail_menu() -> Opened {
    let mut desk = mail("");
    desk.run_command("mail-folders");
    (desk, "Show threads", "> ")
}

fn mail_review() -> Opened {
    let mut desk = mail("<Ctrl-N>");
    desk.types("ana@ruiz.example").keys("<Tab><Tab><Tab>").types("Prices").keys("<Tab>");
    desk.types("They are the same.").keys("<Ctrl-X>");
    (desk, "Send this mail?", "Subject Prices")
}

fn preflight() -> Opened {
    let mut desk = broadcast("We open at 9.");
    desk.keys("<Ctrl-X>");
    (desk, "Review broadcast, 1 person", "[y] Send, [n] Back to the form")
}

fn reply_conflict_prompt() -> Opened {
    let mut desk = composing("", "It left today");
    desk.colleague("whatsapp", MARIA, "I am looking into it.");
    desk.settle().keys("<Enter>");
    (desk, "A colleague answered while you wrote", "I am looking into it.")
}

fn rich_form() -> Opened {
    (composing("<Ctrl-O>l", "91"), "Location", "> latitude 91, lies between -90 and 90")
}

fn rule_list() -> Opened {
    let mut desk = mail("");
    desk.run_command("show-rules").settle();
    (desk, "Rules for mail", "No rules yet")
}

fn search_prompt() -> Opened {
    let mut desk = chat("/");
    desk.types("lopez").settle();
    (desk, "Search, all channels", "> Maria Lopez")
}

fn suggestion_panel() -> Opened {
    let mut desk = chat("");
    frontdesk::shell::replies::write_samples(&desk.replies()).expect("samples");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "I was charged twice for order 1041!");
    desk.settle().keys("<Enter>i<Ctrl-D>");
    (desk, "Suggested draft", "> Hi Maria")
}

fn team_page() -> Opened {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.is_in_team = true;
    });
    desk.settle().keys(":team<Enter>");
    (desk, "Team", "Reading")
}

fn tag_editor() -> Opened {
    let mut desk = chat("#");
    desk.types("vip");
    (desk, "Tags of Maria Lopez", "vip")
}

fn template_form() -> Opened {
    let mut desk = chat("T");
    desk.types("order way").keys("<Enter>");
    (desk, "Template order_on_its_way, en, utility", "Maria")
}

fn template_picker() -> Opened {
    let mut desk = chat("T");
    desk.types("order way");
    (desk, "Templates, list fetched", "> order_on_its_way, en utility")
}

fn webhook_question() -> Opened {
    let mut desk = webhook();
    desk.keys("<Tab><Tab> <Enter>");
    (desk, "REGISTER this webhook?", "https://shop.example/hook")
}

fn chat(keys: &str) -> Desk {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys(keys);
    desk
}

fn ai_on(keys: &str, text: &str) -> Desk {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys(keys).types(text).keys("<Enter>");
    desk
}

/// A desk that pauses the AI and writes; `text` is entered as keys.
fn composing(keys: &str, text: &str) -> Desk {
    let mut desk = chat("<Enter>p");
    desk.settle().keys("i").keys(keys).keys(&text.replace('\t', "<Tab>"));
    desk
}

fn sample(keys: &str) -> Desk {
    let mut desk = Desk::demo(120, 40);
    desk.settle().settle();
    desk.keys(keys).settle();
    desk
}

fn mail(keys: &str) -> Desk {
    let mut desk = Desk::demo(120, 40);
    calm(&mut desk);
    desk.keys("3").settle().keys(keys);
    desk
}

fn connected(keys: &str) -> Desk {
    let mut desk = Desk::demo(120, 40);
    let address = desk.dev_url.trim_start_matches("http://").trim_end_matches("/dev").to_owned();
    let shop = shop_api::connection(&address).expect("the shop");
    desk.connect(&[(shop, shop_api::SHOP_KEY)]);
    desk.settle().keys(":").types(&format!("open {MARIA}")).keys("<Enter>").settle().keys(keys);
    desk
}

fn parcel_form() -> Desk {
    let mut desk = connected("!");
    desk.types("parcel").keys("<Enter>");
    desk
}

fn broadcast(text: &str) -> Desk {
    let mut desk = chat("");
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": MARIA, "name": "Maria Lopez"}));
    desk.settle().keys("gpVab").types(text);
    desk
}

fn webhook() -> Desk {
    let mut desk = chat("gwa<Ctrl-U>");
    desk.types("https://shop.example/hook");
    desk
}

/// Returns the text of the place, and true if it is the same on a narrow and on a wide screen.
fn read_out(desk: &mut Desk) -> (Vec<String>, bool) {
    let lines = place_lines(&desk.app);
    let is_same = [40, 200].into_iter().all(|width| {
        desk.resize((width, 24));
        place_lines(&desk.app) == lines
    });
    (lines, is_same)
}

#[test]
fn every_popup_is_read_out_with_its_title_and_its_chosen_row() {
    let mut wrong = Vec::new();
    for popup in POPUPS {
        let (mut desk, title, row) = popup.open();
        let open = desk.app.context.overlays.last().map(|overlay| format!("{overlay:?}")).unwrap_or_default();
        let (lines, is_same) = read_out(&mut desk);
        let is_open = open.starts_with(&format!("{popup:?}"));
        let has_title = lines.first().is_some_and(|line| line.starts_with(title));
        let has_row = lines.iter().any(|line| line.contains(row));
        if ![is_open, has_title, has_row, is_same].into_iter().all(|is_right| is_right) {
            let place = if is_open { String::new() } else { desk.picture() };
            wrong.push(format!("{popup:?}, {title:?}, {row:?}, same {is_same}: {lines:#?}\n{place}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_type_of_popup_is_one_of_these() {
    let known: BTreeSet<String> = POPUPS.iter().map(|popup| format!("{popup:?}")).collect();
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/inbox")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(path).expect("text");
                let types = source.lines().filter_map(|line| line.strip_prefix("impl Overlay for "));
                found.extend(types.map(|name| name.trim_end_matches(" {").to_owned()));
            }
        }
    }
    assert_eq!(found, known);
}

fn open_page(page: PageKind) -> Opened {
    match page {
        PageKind::Inbox => (chat(""), "Inbox", "> 1 Maria Lopez"),
        PageKind::Outbox => {
            let mut desk = composing("", "It left today.");
            desk.disk(crate::desk::Disk::Works).keys("<Enter><Esc>go");
            (desk, "Outbox, Harbor chat", "> Maria Lopez")
        }
        PageKind::Drafts => {
            let mut desk = composing("", "It left <Esc>");
            desk.wait(3_000_000);
            desk.settle().run_command("go-to-drafts").settle();
            (desk, "Drafts, Harbor chat", "> Maria Lopez, It left")
        }
        PageKind::Proposals => (chat_on("show-proposals"), "Proposals, Harbor chat", "No proposals."),
        PageKind::Reviews => {
            let mut desk = sample("");
            desk.app.context.settings.review_one_in = 1;
            desk.keys(":").types("open --name Maria Lopez").keys("<Enter>").settle();
            desk.run_command("show-reviews");
            (desk, "Review queue, Harbor chat", "> Grace O’Donnell, Customer: ")
        }
        PageKind::People => (chat("gp"), "People, Harbor chat", "> Maria Lopez, +34600111222"),
        PageKind::Events => (chat_on("go-to-events"), "Events, Harbor chat", "Where is my order 1041?"),
        PageKind::Webhooks => (chat("gw"), "Webhooks, Harbor chat", "No webhooks"),
        PageKind::Templates => (chat("gt"), "Templates, Harbor chat", "> "),
        PageKind::Account => (chat("ga"), "Account, Harbor chat", "> "),
        PageKind::Broadcasts => {
            let mut desk = broadcast("We open at 9.");
            desk.keys("<Ctrl-X>y");
            (desk, "Broadcasts, Harbor chat", "> We open at 9., held, 0/1")
        }
        PageKind::Wall => (chat_on("go-to-wall"), "Wall", "> 1 Harbor chat, needs 0, outbox 0"),
    }
}

fn chat_on(command: &str) -> Desk {
    let mut desk = chat("");
    desk.run_command(command);
    desk
}

#[test]
fn every_page_is_read_out_with_its_title_and_its_chosen_row() {
    let pages = [
        PageKind::Inbox,
        PageKind::Outbox,
        PageKind::Drafts,
        PageKind::Proposals,
        PageKind::Reviews,
        PageKind::People,
        PageKind::Events,
        PageKind::Webhooks,
        PageKind::Templates,
        PageKind::Account,
        PageKind::Broadcasts,
        PageKind::Wall,
    ];
    let mut wrong = Vec::new();
    for page in pages {
        let (mut desk, title, row) = open_page(page);
        let (lines, is_same) = read_out(&mut desk);
        let has_title = lines.first().is_some_and(|line| line.starts_with(title));
        let has_commands = lines.last().is_some_and(|line| line.starts_with("Commands: "));
        let has_row = lines.iter().any(|line| line.contains(row));
        let is_open = desk.app.desk.page == page;
        if ![is_open, has_title, has_row, has_commands, is_same].into_iter().all(|is_right| is_right) {
            wrong.push(format!("{page:?}, {title:?}, {row:?}, same {is_same}: {lines:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
