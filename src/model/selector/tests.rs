//! Random conversations whose customers use addresses of others as names.

use proptest::prelude::*;

use super::*;
use crate::conversations::Conversation;
use crate::ids::ChannelId;

/// A customer: address and handle proven by the platform, all other fields chosen freely.
#[derive(Debug, Clone)]
struct NamedSender {
    platform: Platform,
    address: String,
    handle: Option<String>,
    id: String,
    name: Option<String>,
    email: Option<String>,
}

impl NamedSender {
    fn candidate(&self) -> Candidate {
        let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
        let conversation = Conversation {
            address: Some(self.address.clone()),
            name: line(&self.name),
            username: line(&self.handle),
            email: line(&self.email),
            preview: SafeText::line(self.name.as_deref().unwrap_or("")),
            ..Conversation::stand_in(ConversationId::from(self.id.as_str()), true)
        };
        Candidate {
            row: ConversationRow::without_facts(ChannelId::from(self.platform.word()), conversation),
            platform: self.platform.clone(),
            environment: Environment::Live,
            workspace: "w".to_owned(),
        }
    }
}

/// Returns the index of the selected customer.
fn chosen(world: &[NamedSender], selector: &Selector) -> Option<usize> {
    let found = selector.resolve(world.iter().map(NamedSender::candidate).collect()).ok()?;
    let id = found.row.conversation.id.as_str();
    world.iter().position(|named_sender| named_sender.id == id && named_sender.platform == found.platform)
}

const PLATFORMS: [Platform; 4] = [Platform::Whatsapp, Platform::Telegram, Platform::Email, Platform::Voip];

fn addresses(platform: &Platform, at: usize) -> (String, Option<String>) {
    match platform {
        Platform::Telegram => (format!("-10055{at}"), Some(format!("handle_{at}"))),
        Platform::Email => (format!("person{at}@mail.example"), None),
        _ => (format!("+3460011122{at}"), None),
    }
}

/// A name or id chosen to impersonate another customer.
fn hostile() -> impl Strategy<Value = String> {
    let address = (0..PLATFORMS.len(), 0_usize..8).prop_map(|(kind, at)| addresses(&PLATFORMS[kind], at).0);
    let disguised = (
        address.clone(),
        prop::sample::select(vec!["", "\u{200b}", "\u{202e}", "\u{2066}", " ", "@", "id:", "--name "]),
    )
        .prop_map(|(address, sign)| format!("{sign}{address}"));
    prop_oneof![
        3 => address,
        2 => disguised,
        2 => (0_usize..8).prop_map(|at| format!("conv_{at}")),
        1 => (0_usize..8).prop_map(|at| format!("@handle_{at}")),
        1 => (0_usize..8).prop_map(|at| format!("handle_{at}")),
        1 => prop::sample::select(vec!["Maria", "maria", "Mar\u{200d}ia", "+34 600 111 221", ""]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
    ]
}

/// Customers with distinct addresses and ids; all other fields are arbitrary.
fn world() -> impl Strategy<Value = Vec<NamedSender>> {
    let person = (0..PLATFORMS.len(), hostile(), prop::option::of(hostile()), prop::option::of(hostile()));
    prop::collection::vec(person, 2..8).prop_map(|people| {
        let mut world: Vec<NamedSender> = Vec::new();
        for (at, (kind, id, name, email)) in people.into_iter().enumerate() {
            let platform = PLATFORMS[kind].clone();
            let (address, handle) = addresses(&platform, at);
            let is_taken = id.trim().is_empty() || world.iter().any(|named_sender| named_sender.id == id);
            let id = if is_taken { format!("conv_unique_{at}") } else { id };
            world.push(NamedSender { platform, address, handle, id, name, email });
        }
        world
    })
}

proptest! {
    #![proptest_config(randomized::config(10_000))]

    #[test]
    fn nothing_that_somebody_chose_selects_a_recipient(world in world(), typed in hostile()) {
        let mut unnamed = world.clone();
        for sender in &mut unnamed {
            (sender.name, sender.email) = (None, None);
        }
        // Names and mail addresses of customers do not affect any selection.
        let everything = world.iter().flat_map(|named_sender| [Some(&named_sender.address), Some(&named_sender.id), named_sender.name.as_ref(), named_sender.email.as_ref()]);
        for text in everything.flatten().chain([&typed]) {
            let selector = Selector::from_shape(text);
            prop_assert_eq!(chosen(&world, &selector), chosen(&unnamed, &selector), "{:?}", text);
        }
        // An address selects its owner, whatever ids the server assigned.
        for (at, sender) in world.iter().enumerate() {
            prop_assert_eq!(chosen(&world, &Selector::from_shape(&sender.address)), Some(at), "{:?}", sender);
            if let Some(handle) = &sender.handle {
                prop_assert_eq!(chosen(&world, &Selector::from_shape(&format!("@{handle}"))), Some(at));
            }
        }
        // A name must be marked as a name and be unique.
        if let Some(at) = chosen(&world, &Selector::name(&typed)) {
            let wanted = SafeText::line(&typed).to_string().to_ascii_lowercase();
            let same = |named_sender: &&NamedSender| {
                let name = SafeText::optional_line(named_sender.name.as_deref());
                name.is_some_and(|name| name.as_str().to_ascii_lowercase() == wanted)
            };
            prop_assert_eq!(world.iter().filter(same).count(), 1);
            prop_assert!(same(&&world[at]));
        }
    }
}

#[test]
fn the_shape_decides_the_field() {
    let id = |text: &str| Selector::Id(ConversationId::from(text));
    let cases = [
        ("+34600111222", Selector::Phone("+34600111222".to_owned())),
        ("+34 600-111-222", Selector::Phone("+34600111222".to_owned())),
        ("+442079460123", Selector::Phone("+442079460123".to_owned())),
        ("Ana@Mail.example", Selector::Email("Ana@Mail.example".to_owned())),
        ("ana@localhost", Selector::Email("ana@localhost".to_owned())),
        ("123456", Selector::ChatId("123456".to_owned())),
        ("-100123456", Selector::ChatId("-100123456".to_owned())),
        ("@ana_bot", Selector::Handle("ana_bot".to_owned())),
        ("conv_1", id("conv_1")),
        ("id:123456", id("123456")),
        ("id:+34600111222", id("+34600111222")),
        ("+３４600111222", id("+３４600111222")),
        ("+34600111222\u{200b}", id("+34600111222\u{200b}")),
        ("Maria Lopez", id("Maria Lopez")),
        ("", id("")),
    ];
    for (text, selector) in cases {
        assert_eq!(Selector::from_shape(text), selector, "{text:?}");
        assert_eq!(Selector::from_command_line(text), selector, "{text:?}");
    }
    assert_eq!(Selector::from_command_line("--name Ana"), Selector::name("Ana"));
}

fn person(platform: Platform, address: &str, id: &str, name: &str) -> NamedSender {
    let name = Some(name.to_owned());
    NamedSender { platform, address: address.to_owned(), handle: None, id: id.to_owned(), name, email: None }
}

#[test]
fn several_are_told_by_id_and_address() {
    let world = [
        person(Platform::Whatsapp, "+34600111222", "conv_1", "Maria Lopez"),
        person(Platform::Whatsapp, "+442079460123", "conv_2", "maria lopez"),
    ];
    let all: Vec<Candidate> = world.iter().map(NamedSender::candidate).collect();
    let told = Selector::name("Maria Lopez").resolve(all.clone()).expect_err("two have it").to_string();
    assert_eq!(
        told,
        "2 conversations have the name \"Maria Lopez\": conv_1 (+34600111222) on WHATSAPP, conv_2 \
         (+442079460123) on WHATSAPP"
    );
    let told = Selector::from_shape("Maria Lopez").resolve(all).expect_err("a name").to_string();
    assert!(told.ends_with("names need --name"), "{told}");
}

#[test]
fn one_persons_open_conversation_is_meant() {
    let world: Vec<Candidate> = ["conv_old", "conv_new"]
        .map(|id| person(Platform::Whatsapp, "+34600111222", id, "Maria").candidate())
        .to_vec();
    let number = Selector::from_shape("+34600111222");
    assert!(matches!(number.resolve(world.clone()), Err(Unresolved::Several(..))), "both are open");
    let mut closed = world.clone();
    closed[0].row.conversation.status = ConversationStatus::Closed;
    let chosen = number.resolve(closed.clone()).expect("one is open");
    assert_eq!(chosen.row.conversation.id.as_str(), "conv_new");
    // Equal names may belong to different people, so closed conversations are not ignored.
    assert!(Selector::name("Maria").resolve(closed).is_err());
}

#[test]
fn a_test_key_beside_a_live_one_makes_nobody_two() {
    let live = person(Platform::Whatsapp, "+34600111222", "conv_1", "Maria").candidate();
    let mut test = live.clone();
    test.environment = Environment::Test;
    test.row.channel = ChannelId::from("test");
    for text in ["conv_1", "+34600111222"] {
        let chosen = Selector::from_shape(text).resolve(vec![test.clone(), live.clone()]).expect(text);
        assert!(!chosen.is_test());
    }
    assert!(Selector::from_shape("conv_1").resolve(vec![test.clone()]).expect("alone").is_test());
    test.workspace = "another".to_owned();
    assert!(Selector::from_shape("conv_1").resolve(vec![test, live]).is_err());
}

#[test]
fn a_chat_goes_before_a_phone() {
    let chat = person(Platform::Whatsapp, "+34600111222", "conv_1", "Maria").candidate();
    let phone = person(Platform::Voip, "+34600111222", "+34600111222", "Maria").candidate();
    let number = Selector::from_shape("+34600111222");
    let chosen = number.resolve(vec![phone.clone(), chat]).expect("the chat");
    assert_eq!(chosen.platform, Platform::Whatsapp);
    assert_eq!(number.resolve(vec![phone]).expect("the phone").platform, Platform::Voip);
}
