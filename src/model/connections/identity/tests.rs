//! Examples and random cases of contact identification.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::connections::EndpointMethod;
use crate::connections::parameters::{ParameterPlace, ValueKind};

/// Values that a customer may choose to impersonate somebody.
const HOSTILE: [&str; 12] = [
    "+442079460123",
    "helen@mail.example",
    "482113907",
    "' OR 1=1 --",
    "../customers",
    "phone=+442079460123",
    "*",
    "",
    " ",
    "+44 20 7946 0123",
    "null",
    "\u{202e}321064970244+",
];

fn endpoint(contact: &[ContactField], parameters: Vec<Parameter>) -> ConnectionEndpoint {
    ConnectionEndpoint {
        name: "orders".to_owned(),
        method: EndpointMethod::Get,
        path: "/orders".to_owned(),
        instructions: String::new(),
        contact: contact.to_vec(),
        public: false,
        assistant_may_change: false,
        automatic: false,
        parameters,
        fields: Vec::new(),
    }
}

fn parameter(name: &str, place: ParameterPlace, required: bool, source: ParameterSource) -> Parameter {
    Parameter { name: name.to_owned(), place, kind: ValueKind::Text, required, source }
}

#[test]
fn values_come_from_where_they_are_said_to() {
    let facts = ContactFacts::from_address(&Platform::Whatsapp, "+34600111222")
        .with_metadata(vec![("customer".to_owned(), "C-7".to_owned())]);
    let metadata = ParameterSource::ContactField(ContactField::Metadata("customer".into()));
    let wanted = endpoint(
        &[ContactField::Phone],
        vec![
            parameter("a", ParameterPlace::Query, true, ParameterSource::Contact),
            parameter("b", ParameterPlace::Path, false, metadata),
            parameter("c", ParameterPlace::Query, false, ParameterSource::Asked(String::new())),
            parameter("d", ParameterPlace::Body, true, ParameterSource::Constant("x".into())),
            parameter("e", ParameterPlace::Body, true, ParameterSource::Asked("Order number".into())),
        ],
    );
    let answers = [("e".to_owned(), " 1041 ".to_owned()), ("a".to_owned(), "+442079460123".to_owned())];
    let filled = wanted.fill_parameters(&facts, &answers).expect("filled");
    let values: Vec<_> = filled.iter().map(|filled| (filled.name.as_str(), filled.value.as_str())).collect();
    assert_eq!(values, [("a", "+34600111222"), ("b", "C-7"), ("d", "x"), ("e", "1041")]);
    assert_eq!(wanted.fill_parameters(&facts, &[]), Err("Order number is required".to_owned()));
    let mail = ContactFacts::from_address(&Platform::Email, "ana@mail.example");
    assert_eq!(wanted.fill_parameters(&mail, &answers), Err("the contact's phone is not known".to_owned()));
    let either =
        ConnectionEndpoint { contact: vec![ContactField::Phone, ContactField::Email], ..wanted.clone() };
    let unknown = either.fill_parameters(&ContactFacts::default(), &answers);
    assert_eq!(unknown, Err("the contact's phone or email is not known".to_owned()));
}

#[test]
fn what_comes_from_the_contact_is_required_whatever_was_written() {
    let optional = parameter("customer", ParameterPlace::Query, false, ParameterSource::Contact);
    let refund =
        parameter("order", ParameterPlace::Query, true, ParameterSource::Asked("Order number".into()));
    let answers = [("order".to_owned(), "1041".to_owned())];
    let stranger = ContactFacts::from_address(&Platform::Email, "ana@mail.example");
    let wanted = endpoint(&[ContactField::Phone], vec![optional, refund.clone()]);
    assert!(wanted.fill_parameters(&stranger, &answers).is_err(), "a refund without its customer");
    assert!(endpoint(&[ContactField::Phone], vec![refund]).fill_parameters(&stranger, &answers).is_err());
    let metadata = ParameterSource::ContactField(ContactField::Metadata("id".into()));
    let known = stranger.with_metadata(vec![("id".to_owned(), "7".to_owned())]);
    let only_metadata = endpoint(&[], vec![parameter("id", ParameterPlace::Query, true, metadata)]);
    assert!(only_metadata.fill_parameters(&known, &[]).is_err(), "metadata identifies nobody");
    let stock = endpoint(
        &[],
        vec![parameter("a", ParameterPlace::Path, true, ParameterSource::Asked("Article".into()))],
    );
    let stock = ConnectionEndpoint { public: true, ..stock };
    assert!(stock.fill_parameters(&ContactFacts::default(), &[("a".to_owned(), "42".to_owned())]).is_ok());
}

#[test]
fn a_channel_proves_only_addresses_of_its_own() {
    for (platform, address, proven) in [
        (Platform::Whatsapp, "+34600111222", Some(ContactField::Phone)),
        (Platform::Voip, "+34600111222", Some(ContactField::Phone)),
        (Platform::Email, "ana@mail.example", Some(ContactField::Email)),
        (Platform::Telegram, "482113907", Some(ContactField::ChatId)),
        (Platform::Whatsapp, "ana@mail.example", None),
        (Platform::Telegram, "ana@mail.example", None),
        (Platform::Telegram, "@harbor", None),
        (Platform::Telegram, "-1001234567890", None),
        (Platform::Telegram, "+34600111222", None),
        (Platform::Telegram, "", None),
        (Platform::Email, "+34600111222", None),
        (Platform::Web, "+34600111222", None),
        (Platform::Other("SIGNAL".to_owned()), "+34600111222", None),
    ] {
        let facts = ContactFacts::from_address(&platform, address);
        for field in ContactField::VERIFIED {
            let expected = (proven.as_ref() == Some(&field)).then_some(address);
            assert_eq!(facts.get(&field), expected, "{platform:?} {address}: {field:?}");
        }
    }
}

/// One random contact, endpoint and set of answers.
struct Case {
    platform: Platform,
    address: String,
    metadata: Vec<(String, String)>,
    answers: Vec<(String, String)>,
    endpoint: ConnectionEndpoint,
}

impl Case {
    fn new(random: &mut StdRng) -> Self {
        let mut word = || (*HOSTILE.choose(random).expect("a word")).to_owned();
        let (name, username, told) = (word(), word(), word());
        let platforms = [
            Platform::Whatsapp,
            Platform::Telegram,
            Platform::Email,
            Platform::Voip,
            Platform::Web,
            Platform::Other(name.clone()),
        ];
        let platform = platforms.choose(random).expect("a platform").clone();
        let number: u32 = random.random_range(1..999_999_999);
        let addresses = [
            format!("+346{number:08}"),
            format!("person{number}@mail.example"),
            number.to_string(),
            format!("-100{number}"),
            name.clone(),
        ];
        let address = addresses.choose(random).expect("an address").clone();
        let metadata = vec![("id".to_owned(), name), ("phone".to_owned(), username)];
        let fields = [
            ContactField::Phone,
            ContactField::Email,
            ContactField::ChatId,
            ContactField::Metadata("id".to_owned()),
            ContactField::Metadata("phone".to_owned()),
        ];
        let some = |random: &mut StdRng| fields.choose(random).expect("a field").clone();
        let contact: Vec<ContactField> = (0..random.random_range(0..3)).map(|_| some(random)).collect();
        let places = [ParameterPlace::Path, ParameterPlace::Query, ParameterPlace::Body];
        let parameters: Vec<Parameter> = (0..random.random_range(0..5))
            .map(|index| {
                let source = match random.random_range(0..4) {
                    0 => ParameterSource::Contact,
                    1 => ParameterSource::ContactField(some(random)),
                    2 => ParameterSource::Asked(String::new()),
                    _ => ParameterSource::Constant("fixed".to_owned()),
                };
                let place = *places.choose(random).expect("a place");
                parameter(&format!("p{index}"), place, random.random_bool(0.5), source)
            })
            .collect();
        // A model may answer every parameter, including those it was not asked for.
        let answers = parameters.iter().map(|parameter| (parameter.name.clone(), told.clone())).collect();
        let public = random.random_bool(0.1);
        let endpoint = ConnectionEndpoint { public, ..endpoint(&contact, parameters) };
        Self { platform, address, metadata, answers, endpoint }
    }

    /// Reference implementation of the facts a channel proves.
    fn proves(&self, field: &ContactField) -> bool {
        let digits =
            |text: &str| !text.is_empty() && text.chars().all(|character| character.is_ascii_digit());
        match (field, &self.platform) {
            (ContactField::Phone, Platform::Whatsapp | Platform::Voip) => {
                self.address.strip_prefix('+').is_some_and(digits)
            }
            (ContactField::Email, Platform::Email) => self.address.ends_with("@mail.example"),
            (ContactField::ChatId, Platform::Telegram) => digits(&self.address),
            _ => false,
        }
    }
}

/// 10,000 random cases: no call is made without an identity, and none with an identity that the
/// channel does not prove.
#[test]
fn nothing_a_customer_chooses_identifies_anybody() {
    let mut random = StdRng::seed_from_u64(20_261_122);
    let (mut left, mut kept) = (0, 0);
    for number in 0..10_000 {
        let case = Case::new(&mut random);
        let facts =
            ContactFacts::from_address(&case.platform, &case.address).with_metadata(case.metadata.clone());
        let Ok(values) = case.endpoint.fill_parameters(&facts, &case.answers) else {
            kept += 1;
            continue;
        };
        left += 1;
        let told = || format!("{number}: {} {:?} {:?}", case.address, case.platform, case.endpoint);
        let value = |parameter: &Parameter| {
            values.iter().find(|value| value.name == parameter.name).map(|value| value.value.as_str())
        };
        let mut identified = case.endpoint.public;
        for parameter in &case.endpoint.parameters {
            let proven = match &parameter.source {
                ParameterSource::Asked(_) => continue,
                ParameterSource::Constant(text) => {
                    assert_eq!(value(parameter), Some(text.as_str()), "{}", told());
                    continue;
                }
                ParameterSource::ContactField(ContactField::Metadata(name)) => {
                    let kept = case.metadata.iter().find(|pair| pair.0 == *name).map(|pair| pair.1.trim());
                    assert_eq!(value(parameter), kept, "{}", told());
                    continue;
                }
                ParameterSource::ContactField(field) => case.proves(field),
                ParameterSource::Contact => case.endpoint.contact.iter().any(|field| case.proves(field)),
            };
            assert!(proven, "what the channel does not prove: {}", told());
            assert_eq!(value(parameter), Some(case.address.as_str()), "{}", told());
            identified = true;
        }
        assert!(identified, "a call about nobody left: {}", told());
    }
    assert!(left > 500 && kept > 5_000, "the cases are of both kinds: {left} left, {kept} did not");
}
