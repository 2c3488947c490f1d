//! Colleagues on the screen: where they are, what they hold, and a reply of theirs beside one's own.

use frontdesk::model::ids::{ChannelId, ConversationId, NoteId};
use frontdesk::model::news::News;
use frontdesk::model::replies::SharedReply;
use frontdesk::model::team::{
    Activity, Presence, SharedClaim, SharedNote, SharedPart, TeamAction, TeamAnswer, TeamChange, TeamPerson,
};
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, HOUR, SECOND, Timestamp};

use frontdesk::inbox::plain::PlainOutput;
use frontdesk::inbox::plain::pages::place_lines;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;

use serde_json::json;

use crate::desk::{Desk, direct};
use crate::regions::Region;

fn in_team() -> (Desk, ConversationId) {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.is_in_team = true;
    });
    let id = desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("1<Enter>").settle();
    (desk, id.as_str().into())
}

fn ana(conversation: &ConversationId, activity: Activity, leaves_at: Option<Timestamp>) -> News {
    let person = SafeText::line("Ana");
    News::Present(vec![Presence { person, conversation: Some(conversation.clone()), activity, leaves_at }])
}

#[test]
fn title_says_what_a_colleague_does_here() {
    let (mut desk, id) = in_team();
    desk.deliver_news(ana(&id, Activity::Looking, None)).shows("Ana is looking");
    desk.deliver_news(ana(&id, Activity::Typing, None)).shows("Ana is typing");
    let leaves_at = desk.clock.now().plus(4 * SECOND);
    desk.deliver_news(ana(&id, Activity::Sending, Some(leaves_at))).shows("Ana's reply leaves in 4 s");
    desk.wait(2 * SECOND);
    desk.shows("Ana's reply leaves in 2 s");
    desk.deliver_news(News::Present(Vec::new())).hides("Ana");
    desk.deliver_news(ana(&"elsewhere".into(), Activity::Typing, None)).hides("Ana is typing");
}

/// Maria's conversation is taken while Ana types in it.
pub(crate) fn taken_while_ana_types() -> Desk {
    let (mut desk, id) = in_team();
    desk.deliver_news(ana(&id, Activity::Typing, None)).keys("t").settle();
    desk.shows("you have it").shows("Ana is typing");
    desk
}

#[test]
fn taking_while_a_colleague_types_keeps_both_in_the_title() {
    let mut desk = taken_while_ana_types();
    photographs!(desk, "taken_while_ana_types", History, Composer, Status);
}

#[test]
fn reply_of_a_colleague_has_their_name_and_one_from_another_machine_reads_you() {
    let (mut desk, _) = in_team();
    desk.store.set_team(&["whatsapp".into()]).expect("stored");
    let (_, ana) = desk.sign_in("Ana Ruiz");
    let (_, me) = desk.sign_in("me");
    desk.person_sends(&ana, "whatsapp", "+34600111222", "Ana looks into it");
    desk.wait(SECOND);
    desk.person_sends(&me, "whatsapp", "+34600111222", "Sent from my phone");
    desk.wait(SECOND);
    desk.colleague("whatsapp", "+34600111222", "Sent by a program");
    desk.settle().shows("Ana looks into it");
    let line = |desk: &Desk, text: &str| {
        let picture = desk.picture();
        // The list shows the newest text, too.
        picture.lines().rev().find(|line| line.contains(text)).map(str::to_owned).unwrap_or(picture)
    };
    assert!(line(&desk, "Ana looks into it").contains("Ana Ruiz"), "{}", desk.picture());
    assert!(line(&desk, "Sent from my phone").contains("You"), "{}", desk.picture());
    assert!(line(&desk, "Sent by a program").contains("Elsewhere"), "{}", desk.picture());
    let colours = |desk: &Desk, text: &str| {
        let (x, y) = desk.place_of(text);
        desk.buffer()[(x, y)].style()
    };
    desk.theme = Theme::new(ThemeName::Dark, false);
    assert_eq!(colours(&desk, "Ana Ruiz ").fg, desk.theme.colleague().fg);
    desk.keys("=").shows("another program with a key");
    desk.keys("<Esc><Esc>/").types("looks into").settle().shows("from Ana Ruiz");
}

#[test]
fn name_of_a_channel_outside_the_team_is_never_you() {
    let (mut desk, _) = in_team();
    let (_, me) = desk.sign_in("me");
    desk.person_sends(&me, "whatsapp", "+34600111222", "Who is this?");
    desk.settle().shows("Who is this?").hides("You ");
}

/// Lets the desk read again what another desk changed.
fn read_again(desk: &mut Desk) {
    for _ in 0..2 {
        desk.wait(60 * SECOND);
        desk.settle().settle();
    }
}

fn title(desk: &Desk) -> String {
    desk.photograph(&[Region::History]).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn pause_of_a_colleague_names_them_and_ones_own_at_another_machine_reads_you() {
    let (mut desk, id) = in_team();
    let (_, ana) = desk.sign_in("Ana Ruiz");
    let (_, me) = desk.sign_in("me");
    desk.has_ai_on();
    desk.person_switches(&ana, "whatsapp", id.as_str(), false);
    read_again(&mut desk);
    assert!(title(&desk).contains("AI paused by Ana Ruiz"), "{}", title(&desk));
    desk.shows("Ana Ruiz took over").has_paused(0);
    desk.resize((160, 40));
    let card = desk.photograph(&[Region::Card]);
    assert!(card.contains("AI paused by Ana Ruiz"), "{card}");
    desk.resize((120, 40));
    let spoken = place_lines(&desk.app).join("\n");
    assert!(spoken.contains("AI off, paused by Ana Ruiz"), "{spoken}");
    // A list, which has no switch, leaves the name.
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Are you there?");
    read_again(&mut desk);
    assert!(title(&desk).contains("AI paused by Ana Ruiz"), "{}", title(&desk));

    desk.person_switches(&ana, "whatsapp", id.as_str(), true);
    read_again(&mut desk);
    assert!(!title(&desk).contains("paused"), "{}", title(&desk));
    desk.person_switches(&me, "whatsapp", id.as_str(), false);
    read_again(&mut desk);
    assert!(title(&desk).contains("AI paused by you"), "{}", title(&desk));
    desk.has_paused(0);
}

/// Returns the lines of a customer's row in the list.
fn row_of(desk: &Desk, name: &str) -> [String; 2] {
    let list = desk.photograph(&[Region::List]);
    let trim = |line: &str| line.trim_end_matches(['│', '┤', '┐', ' ']).to_owned();
    let mut lines = list.lines().skip_while(|line| !line.contains(name)).map(trim);
    [lines.next(), lines.next()].map(|line| line.unwrap_or_else(|| panic!("no row of {name}:\n{list}")))
}

#[test]
fn row_shows_which_colleague_is_in_its_conversation_at_its_own_height() {
    let (mut desk, maria) = in_team();
    let joao = desk.customer("whatsapp", "+351910000111", "João Pereira", "thanks!");
    let joao = ConversationId::from(joao.as_str());
    desk.keys("<Esc><Esc>");
    read_again(&mut desk);
    for size in [(200, 50), (120, 40), (80, 24), (60, 20)] {
        desk.resize(size);
        desk.deliver_news(News::Present(Vec::new()));
        let quiet = desk.photograph(&[Region::List]);
        desk.deliver_news(ana(&joao, Activity::Typing, None));
        let [_, line] = row_of(&desk, "João Pereira");
        assert!(line.ends_with(" Ana types"), "{size:?}: {line}");
        let busy = desk.photograph(&[Region::List]);
        let changed = quiet.lines().zip(busy.lines()).filter(|(before, now)| before != now).count();
        assert_eq!((changed, quiet.lines().count()), (1, busy.lines().count()), "{size:?}:\n{busy}");
    }
    desk.resize((120, 40));
    desk.deliver_news(ana(&joao, Activity::Sending, Some(desk.clock.now().plus(4 * SECOND))));
    assert!(row_of(&desk, "João Pereira")[1].ends_with(" Ana replies"));
    // Nothing calls for attention: the sign is dim.
    desk.theme = Theme::new(ThemeName::Dark, false);
    let (x, y) = desk.place_of("Ana replies");
    assert_eq!(desk.buffer()[(x, y)].style().fg, desk.theme.dim().fg);
    desk.deliver_news(ana(&joao, Activity::Looking, None));
    assert!(row_of(&desk, "João Pereira")[1].ends_with(" Ana"));
    let others = ["Ana", "Ben"].map(|name| Presence {
        person: SafeText::line(name),
        conversation: Some(joao.clone()),
        activity: if name == "Ben" { Activity::Typing } else { Activity::Looking },
        leaves_at: None,
    });
    desk.deliver_news(News::Present(others.to_vec()));
    assert!(row_of(&desk, "João Pereira")[1].ends_with(" Ben types +1"));
    let long = SafeText::line("Maximiliane von Hohenstein");
    let long =
        Presence { person: long, conversation: Some(maria), activity: Activity::Typing, leaves_at: None };
    desk.deliver_news(News::Present(vec![long]));
    let [_, line] = row_of(&desk, "Maria Lopez");
    assert!(line.ends_with("… types") && line.contains("Maxi"), "{line}");
    assert!(!row_of(&desk, "João Pereira")[1].contains("Ben"));
}

#[test]
fn row_of_a_colleagues_conversation_says_their_name_once() {
    let (mut desk, id) = in_team();
    desk.keys(":assign Ana<Enter>").settle().settle();
    for (activity, end) in
        [(Activity::Looking, "Ana"), (Activity::Typing, " types"), (Activity::Sending, " replies")]
    {
        desk.deliver_news(ana(&id, activity, None));
        let [_, line] = row_of(&desk, "Maria Lopez");
        assert!(line.ends_with(end) && line.matches("Ana").count() == 1, "{line}");
    }
}

#[test]
fn plain_mode_says_what_a_colleague_does_once() {
    let (mut desk, id) = in_team();
    let mut output = PlainOutput::default();
    output.collect_new_lines(&desk.app);
    desk.deliver_news(ana(&id, Activity::Typing, None));
    assert_eq!(output.collect_new_lines(&desk.app), ["Maria Lopez: Ana is typing"]);
    desk.deliver_news(ana(&id, Activity::Typing, None));
    assert_eq!(output.collect_new_lines(&desk.app), [""; 0]);
    let spoken = place_lines(&desk.app).join("\n");
    assert!(spoken.contains("Ana is typing"), "{spoken}");
    desk.deliver_news(ana(&id, Activity::Sending, Some(desk.clock.now().plus(4 * SECOND))));
    assert_eq!(output.collect_new_lines(&desk.app), ["Maria Lopez: Ana is sending a reply"]);
    desk.wait(SECOND);
    assert_eq!(output.collect_new_lines(&desk.app), [""; 0], "the countdown is not read out");
    desk.deliver_news(News::Present(Vec::new()));
    assert_eq!(output.collect_new_lines(&desk.app), ["Maria Lopez: no colleague is here now"]);
}

/// A reply is to be sent after one of Ana that came while it was written.
pub(crate) fn crossed_by_a_colleague() -> Desk {
    let (mut desk, _) = in_team();
    let (_, ana) = desk.sign_in("Ana Ruiz");
    desk.keys("r").types("On my way").settle();
    desk.person_sends(&ana, "whatsapp", "+34600111222", "Ana looks into it");
    desk.settle().keys("<Enter>").shows("Ana Ruiz answered while you wrote").shows("Ana Ruiz 1");
    desk
}

#[test]
fn question_before_a_crossing_reply_names_the_colleague() {
    let mut desk = crossed_by_a_colleague();
    photographs!(desk, "conflict");
}

#[test]
fn reply_beside_a_colleagues_reply_asks_first() {
    let (mut desk, id) = in_team();
    desk.keys("r").types("On my way").settle();
    desk.deliver_news(ana(&id, Activity::Sending, None));
    desk.keys("<Enter>").shows("Ana is sending a reply").shows("Yours: On my way");
    desk.keys("<Esc>").shows("On my way").has_queued(0);
    desk.deliver_news(News::Present(Vec::new()));
    desk.keys("<Enter>").hides("Ana is sending a reply");
}

#[test]
fn team_lists_who_is_here_and_what_each_has() {
    let (mut desk, id) = in_team();
    desk.deliver_news(ana(&id, Activity::Looking, None));
    desk.keys(":team<Enter>").shows("Ana · looking at Maria Lopez · has nothing");
    desk.keys("<Esc>").keys(":assign ana call at 5<Enter>").shows("Ana has it now").settle();
    desk.shows("@Ana call at 5");
    desk.keys(":team<Enter>").shows("Ana · looking at Maria Lopez · has Maria Lopez");
    let person = |name: &str, held: &[&str], claim_count: u32| TeamPerson {
        name: SafeText::line(name),
        seen_at: desk.clock.now().plus(-3 * HOUR),
        claim_count,
        held: held.iter().map(|name| SafeText::line(name)).collect(),
    };
    let customers: Vec<String> = (1..=9).map(|number| format!("Customer {number}")).collect();
    let customers: Vec<&str> = customers.iter().map(String::as_str).collect();
    let people =
        vec![person("Ana", &["Maria Lopez"], 1), person("Ben Ito", &customers, 12), person("me", &[], 0)];
    desk.deliver_news(News::People(Ok(people))).shows("Ben Ito · away for 3h · has Customer 1");
    desk.shows("Customer 9 and 3 more").shows("me · this desk · has nothing").hides("Reading…");
    let (_, top) = desk.place_of("Team");
    let (_, bottom) = desk.place_of("j k scroll · Esc back");
    assert!(bottom - top < 8, "the popup is no taller than its text:\n{}", desk.picture());
    desk.keys("<Esc>").keys(":assign ben ito please<Enter>").shows("Ben Ito has it now");
    desk.keys("<Esc>").deliver_news(News::People(Err(SafeText::line("no answer"))));
    desk.keys(":team<Enter>").shows("Only what this desk has seen: no answer");
}

fn claim_of(desk: &Desk) -> Option<String> {
    let row = desk.app.desk.current_conversation().expect("a conversation");
    row.local.claim.as_ref().map(|claim| claim.agent.to_string())
}

/// Maria's conversation was taken and handed over to Ana with a note.
pub(crate) fn handed_over() -> Desk {
    let (mut desk, _) = in_team();
    desk.customer("whatsapp", "+351910000111", "João Pereira", "thanks!");
    desk.deliver_news(News::Present(Vec::new()));
    desk.settle()
        .keys("<Esc><Esc>v1")
        .settle()
        .keys(":open maria<Enter>")
        .settle()
        .keys("t")
        .settle()
        .keys("<Esc>")
        .settle();
    desk.shows("MINE").shows("AI paused · you have it");
    assert_eq!(claim_of(&desk).as_deref(), Some("me"));
    desk.keys(":assign Ana call at 5<Enter>").shows("Ana has it now · z undo").settle();
    desk.shows("AI paused · Ana has it").hides("you have it").hides("MINE").shows("@Ana call at 5");
    desk
}

#[test]
fn assign_is_one_act_and_z_takes_all_of_it_back() {
    let mut desk = handed_over();
    photographs!(desk, "handed_over");
    desk.shows("Maria Lopez · +34600111222");
    assert_eq!(claim_of(&desk).as_deref(), Some("Ana"));
    desk.keys("z").settle().settle().shows("MINE").shows("you have it").hides("@Ana call at 5");
    assert_eq!(claim_of(&desk).as_deref(), Some("me"));
    desk.shows("Maria Lopez · +34600111222");
}

#[test]
fn assign_pauses_the_ai_and_undo_hands_back() {
    let (mut desk, _) = in_team();
    desk.has_ai_on().keys(":assign Ana<Enter>").settle().shows("AI paused · Ana has it");
    assert_eq!(claim_of(&desk).as_deref(), Some("Ana"));
    desk.keys(":assign Ana<Enter>").shows("Ana has it already");
    desk.keys("z").settle().settle().has_ai_on().hides("Ana has it");
    assert_eq!(claim_of(&desk), None);
    desk.has_paused(0).keys("z").shows("nothing to undo");
}

#[test]
fn conversation_of_a_colleague_needs_nobody_else_for_half_an_hour() {
    let (mut desk, _) = in_team();
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "I want to talk to a human");
    desk.settle().keys("<Esc><Esc>").keys("v1").settle().shows("NEEDS A PERSON").shows("asked for a person");
    desk.keys(":assign Ana<Enter>").settle().hides("NEEDS A PERSON").shows("WITH THE AI");
    desk.hides("asked for a person");
    desk.wait(30 * 60 * SECOND);
    desk.settle().shows("NEEDS A PERSON").shows("Ana has not answered");
}

#[test]
fn shared_replies_are_offered_and_a_local_one_of_the_same_name_wins() {
    let (mut desk, _) = in_team();
    frontdesk::shell::replies::write_samples(&desk.replies()).expect("samples");
    let shared = |name: &str, text: &str| SharedReply {
        name: name.to_owned(),
        text: text.to_owned(),
        author: SafeText::line("Ana"),
    };
    let replies = vec![
        shared("hours", "Never open."),
        shared("parking", "Park behind the shop, {contact.first_name}."),
    ];
    desk.runtime.block_on(desk.store.apply_shared_replies(replies)).expect("stored");
    desk.keys("i/")
        .types("park")
        .shows("parking")
        .shows("shared by Ana")
        .shows("Park behind the shop, Maria.");
    desk.keys("<Ctrl-U>").types("hours").shows("yours, not the team's").hides("Never open.");
    desk.keys("<Esc><Ctrl-U><Esc>");
    desk.keys(":share-reply refund<Enter>").shows("refund is shared with the team");
    let change = desk.runtime.block_on(desk.store.next_reply_change()).expect("read").expect("a change");
    assert_eq!(change.name, "refund");
    assert!(change.text.expect("a text").starts_with("+++"), "with its header");
    desk.keys(":unshare-reply parking<Enter>").shows("parking is no longer shared with the team");
    desk.keys(":unshare-reply parking<Enter>").shows("the team shares no reply parking");
    desk.keys(":share-reply ../secret<Enter>").shows("has no ../secret.md");
    desk.keys("i/").types("park").hides("shared by Ana");
}

#[test]
fn desk_without_a_team_says_so() {
    let mut desk = Desk::new(120, 40);
    desk.settle().keys(":team<Enter>").shows("joined no team");
    desk.keys(":assign Ben<Enter>").shows("joined no team");
}

#[test]
fn mention_rings_and_names_its_author() {
    let (mut desk, id) = in_team();
    let channel = "whatsapp".into();
    let bells = desk.bells;
    desk.deliver_news(News::Mention(channel, id, SafeText::line("Ana")));
    desk.shows("Ana mentions you in a note about Maria Lopez");
    assert_eq!(desk.bells, bells + 1);
}

/// Lets this many requests fail from now on.
fn cut(desk: &Desk, count: u32) {
    desk.dev("fault", json!({"path_prefix": "/", "count": count, "drop": "before"}));
}

/// Maria is taken over and answered, and has a note, without a network.
fn answered_without_a_network() -> (Desk, ConversationId) {
    let (mut desk, id) = in_team();
    desk.store.set_team(&["whatsapp".into()]).expect("stored");
    cut(&desk, 1_000);
    desk.settle();
    desk.wait(5 * SECOND);
    desk.settle().shows("Offline since");
    desk.keys("t").settle().types("On my way").keys("<Enter>").settle();
    desk.keys("<Esc>;").types("rope is 12 mm").keys("<Enter>").settle();
    desk.shows("you took over").shows("On my way").shows("rope is 12 mm");
    desk.shows("Pause the AI").shows("waiting for the message before it");
    assert!(desk.outbound().is_empty());
    (desk, id)
}

pub(crate) fn without_a_network() -> Desk {
    let (mut desk, _) = answered_without_a_network();
    // Longer than the pause waits for its next try: that time is random.
    desk.wait(6 * SECOND);
    desk
}

/// [`answered_without_a_network`], and Ana was there meanwhile.
pub(crate) fn back_again() -> Desk {
    let (mut desk, id) = answered_without_a_network();
    let channel = ChannelId::from("whatsapp");
    // Ana claims the conversation and leaves a note meanwhile.
    let claim = SharedClaim { agent: SafeText::line("Ana"), at: desk.clock.now(), version: 1 };
    let note = SharedNote {
        id: NoteId::new("of-ana"),
        author: SafeText::line("Ana"),
        text: SafeText::line("Calls back at five"),
        mentions: Vec::new(),
        at: desk.clock.now(),
        edited_at: None,
    };

    cut(&desk, 0);
    desk.wait(60 * SECOND);
    desk.settle().settle().has_queued(0).hides("Offline since").shows("you have it").shows("rope is 12 mm");
    let sent: Vec<String> = desk.outbound().iter().map(|sent| sent["content"].to_string()).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    desk.has_paused(1);

    // The service answers this desk's claim with Ana's, and tells her note.
    let (mut lost, mut shared_notes) = (Vec::new(), Vec::new());
    while let Some(change) = next_team_change(&desk) {
        let answer = match &change.action {
            TeamAction::Claim { .. } => Some(TeamAnswer::Claimed(Some(claim.clone()))),
            TeamAction::AddNote { text, .. } => {
                shared_notes.push(text.clone());
                None
            }
            other => panic!("{other:?}"),
        };
        let settling = desk.store.settle_team_change(change, answer);
        lost.extend(desk.runtime.block_on(settling).expect("stored").lost);
    }
    assert_eq!(lost, [(channel.clone(), id.clone(), SafeText::line("Ana"))]);
    assert_eq!(shared_notes, ["rope is 12 mm"]);
    let part = SharedPart::Note(note.id.clone(), Some(note));
    let applying = desk.store.apply_shared_parts(vec![(id.clone(), part)]);
    desk.runtime.block_on(applying).expect("stored");
    desk.deliver_news(News::Conversations(channel.clone()));
    desk.deliver_news(News::History(channel.clone(), id.clone()));
    desk.deliver_news(News::Notice(channel, Some(id), SafeText::line("Ana has it now")));
    desk
}

#[test]
fn desk_without_a_network_goes_on_and_catches_up_when_it_is_back() {
    let mut desk = back_again();
    assert_eq!(claim_of(&desk).as_deref(), Some("Ana"));
    let status = desk.photograph(&[Region::Status]);
    assert!(status.contains("Ana has it now"), "{status}");
    let history = desk.photograph(&[Region::History]);
    for text in ["On my way", "rope is 12 mm", "Calls back at five"] {
        assert_eq!(history.matches(text).count(), 1, "{text}:\n{history}");
    }
    desk.shows("Ana has it").hides("you have it");
}

/// Returns the oldest change that this desk has not shared.
fn next_team_change(desk: &Desk) -> Option<TeamChange> {
    desk.runtime.block_on(desk.store.next_team_change()).expect("read")
}
