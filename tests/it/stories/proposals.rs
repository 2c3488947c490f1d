//! An assistant's proposal is sent only by a person's key.

use frontdesk::inbox::settings::PauseOnReply;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use model::proposals::ProposedChange;
use ratatui::style::Modifier;

use crate::desk::{Desk, direct};
use crate::stories::mail::{calm, letter};

const MARIA: &str = "+34600111222";

fn reply() -> ProposedChange {
    ProposedChange::Reply { text: "Your order left the shop today.".to_owned() }
}

fn proposing(change: ProposedChange, size: (u16, u16)) -> Desk {
    let mut desk = Desk::with(size.0, size.1, direct);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().propose("whatsapp", &id, change);
    desk
}

fn texts(desk: &Desk) -> Vec<String> {
    desk.outbound().iter().filter_map(|value| value["content"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_proposal_is_counted_named_in_its_conversation_and_leaves_by_a_key_only() {
    let mut desk = proposing(reply(), (120, 40));
    desk.shows("1 Harbor chat 1").hides("1 proposal").keys("<Enter>").shows("Proposal · g n");
    desk.wait(600_000_000);
    desk.settle();
    assert!(texts(&desk).is_empty(), "nobody pressed a key");
    desk.run_command("show-proposals")
        .shows("Your order left the shop today.")
        .shows("Helper 1.0: the customer asked");
    desk.keys("a").settle();
    assert_eq!(texts(&desk), ["Your order left the shop today."]);
    desk.shows("No proposals").hides("1 proposal");
}

#[test]
fn a_proposed_reply_is_held_and_z_takes_it_back() {
    let mut desk = Desk::with(80, 24, |settings| {
        (settings.hold, settings.pause_on_reply) = (5_000_000, PauseOnReply::Never)
    });
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().propose("whatsapp", &id, reply());
    desk.run_command("show-proposals").keys("a").keys("z").shows("undone").wait(10_000_000);
    desk.settle();
    assert!(texts(&desk).is_empty());
    desk.run_command("go-to-drafts").shows("Your order left the shop today.");
}

#[test]
fn a_proposed_reply_asks_what_the_ai_shall_do() {
    let mut desk = Desk::with(80, 24, |settings| settings.hold = 0);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().propose("whatsapp", &id, reply());
    desk.run_command("show-proposals")
        .keys("a")
        .shows("The AI may answer this customer too.")
        .keys("<Esc>")
        .settle();
    assert!(texts(&desk).is_empty());
    desk.keys("ay").settle();
    assert_eq!(texts(&desk), ["Your order left the shop today."]);
    desk.keys("gi").has_paused(1);
}

#[test]
fn what_is_stale_is_marked_and_asks_first() {
    let mut desk = proposing(reply(), (80, 24));
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Never mind, it came!");
    desk.settle().run_command("show-proposals").shows("Outdated: new messages since");
    desk.keys("a").shows("New messages since the proposal").shows("Never mind, it came!");
    desk.keys("<Esc>").settle();
    assert!(texts(&desk).is_empty());
    desk.keys("ay").settle();
    assert_eq!(texts(&desk), ["Your order left the shop today."]);
}

#[test]
fn an_outdated_proposal_is_dim_everywhere_and_says_so() {
    let mut desk = proposing(reply(), (120, 40));
    desk.theme = Theme::new(ThemeName::Dark, false);
    let is_accent = |desk: &Desk, text: &str| {
        let cell = desk.buffer()[desk.place_of(text)].clone();
        (desk.theme.is_accent(cell.fg), cell.modifier.contains(Modifier::BOLD))
    };
    desk.keys("<Enter>").settle().shows("Proposal · g n").wait(60_000_000);
    desk.colleague("whatsapp", MARIA, "It is on its way");
    desk.settle().shows("Proposal too old · g n").shows("proposal too old");
    for text in ["Proposal too old · g n", "proposal too old"] {
        assert_eq!(is_accent(&desk, text), (false, false), "{text}");
    }
    photographs!(desk, "outdated_in_its_conversation", History);
    desk.keys("gn").shows("outdated: Helper 1.0 proposes to reply").keys("<Esc>");
    desk.run_command("show-proposals").shows("Outdated: new messages since");
    for text in ["Outdated: new messages since", "reply ", "Your order left the shop today."] {
        assert_eq!(is_accent(&desk, text), (false, false), "{text}");
    }
}

#[test]
fn what_is_dropped_comes_back_with_z_and_an_edited_text_is_in_the_composer() {
    let mut desk = proposing(reply(), (80, 24));
    desk.run_command("show-proposals")
        .keys("x")
        .shows("No proposals")
        .keys("z")
        .shows("Your order left the shop today.");
    desk.keys("e").shows("in the composer; nothing was sent").types(" at noon").keys("<Enter>").settle();
    assert_eq!(texts(&desk), ["Your order left the shop today. at noon"]);
}

#[test]
fn a_text_with_an_open_field_or_a_key_in_it_is_not_sent_by_a_key() {
    for (text, why) in [
        ("Is it {address?}?".to_owned(), "{address?} is not filled in"),
        (format!("Use svc_live_{}", "a1".repeat(20)), "it contains the channel key"),
    ] {
        let mut desk = proposing(ProposedChange::Reply { text }, (120, 40));
        desk.run_command("show-proposals")
            .keys("a")
            .shows("nothing was sent: ")
            .shows(why)
            .shows("e edit")
            .settle();
        assert!(texts(&desk).is_empty());
        desk.shows("Last message: Where is my order 1041?").keys("e").shows("in the composer");
    }
}

#[test]
fn a_text_is_seen_whole_before_a_key_sends_it() {
    let long = format!("{}The rest of it.", "It left the shop today and is on its way. ".repeat(5));
    let mut desk = proposing(ProposedChange::Reply { text: long.clone() }, (80, 24));
    desk.run_command("show-proposals").hides("The rest of it.").shows("…").keys("a");
    desk.shows("Full text").shows("The rest of it.").keys("<Esc>").settle();
    assert!(texts(&desk).is_empty());
    desk.keys("ay").settle();
    assert_eq!(texts(&desk), [long]);
    let mut desk = proposing(ProposedChange::Reply { text: "It left the shop. ".repeat(50) }, (80, 24));
    desk.run_command("show-proposals").keys("a").shows("too long to show here").settle();
    assert!(texts(&desk).is_empty());
}

#[test]
fn a_proposed_answer_to_a_mail_is_looked_over_before_it_leaves() {
    let mut desk = Desk::with_all_tabs(120, 40);
    calm(&mut desk);
    let thread = letter(&desk, "rui@example.com", "Rui", "Order 1041", Some("Where is it?"), None);
    desk.keys("3");
    calm(&mut desk);
    desk.propose("email", &thread, reply());
    desk.run_command("show-proposals")
        .shows("Your order left the shop today.")
        .keys("a")
        .shows("nothing was sent")
        .settle();
    assert!(!desk.outbound().iter().any(|value| value.to_string().contains("left the shop today")));
    desk.settle().shows("Your order left the shop today.").shows("Subject").shows("Re: Order 1041");
    desk.keys("<Esc>")
        .run_command("go-to-drafts")
        .shows("Your order left the shop today.")
        .shows("Re: Order 1041");
}

#[test]
fn a_proposed_pause_is_done_by_the_key() {
    let mut desk = proposing(ProposedChange::Pause, (80, 24));
    desk.settle()
        .keys("<Enter>")
        .hides("AI paused")
        .run_command("show-proposals")
        .shows("Pause the AI")
        .keys("a")
        .settle();
    desk.shows("No proposals").keys("gi").has_paused(1);
}

#[test]
fn proposals_are_read_in_plain_mode() {
    let mut desk = proposing(reply(), (80, 24));
    assert_eq!(desk.says("show-proposals"), None);
    let page = frontdesk::inbox::plain::PlainOutput::default().collect_new_lines(&desk.app);
    assert!(page.iter().any(|text| text.contains("Your order left the shop today.")), "{page:?}");
}
