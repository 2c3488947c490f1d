//! Scripted conversations: those in trouble must rank first, and scoring thousands must be fast.

use crate::messages::{DeliveryStatus, Direction, Sender};
use crate::trouble::{
    LONG_WAIT, MessageSummary, TROUBLE_THRESHOLD, TroubleScore, score_messages, score_waiting,
};

/// True if a person would see trouble; messages by customer (`c`), AI (`a`) and person (`h`), or
/// failed (`f`).
const CORPUS: &[(bool, &[&str])] = &[
    (
        true,
        &[
            "c Where is my order 1041?",
            "a Could you give me your order number?",
            "c 1041",
            "a Could you give me your order number?",
            "c where is my order 1041??",
        ],
    ),
    (true, &["c The bell is broken", "a Our bells are made of brass.", "c I want to talk to a human"]),
    (
        true,
        &[
            "c Mein Rad ist kaputt",
            "a Welches Rad?",
            "c Kann ich bitte mit einem Mitarbeiter sprechen?",
            "a Ich helfe gern!",
            "c Einen Menschen bitte!",
        ],
    ),
    (
        true,
        &[
            "c ¿Dónde está mi pedido?",
            "a Su pedido está en camino.",
            "c ¿Dónde está mi pedido? Ya lo dije",
            "a Su pedido está en camino.",
            "c ¿DÓNDE ESTÁ MI PEDIDO?",
        ],
    ),
    (
        true,
        &[
            "c Quero o reembolso",
            "a Posso ajudar com isso.",
            "c Isso é um absurdo, quero o reembolso",
            "a Posso ajudar com isso.",
        ],
    ),
    (
        true,
        &[
            "c J'attends depuis lundi",
            "a Merci de patienter.",
            "c C'est inadmissible !!",
            "a Merci de patienter.",
            "c Je veux parler à quelqu'un",
        ],
    ),
    (true, &["c La catena non è arrivata", "a Mi dispiace.", "c Nessuno risponde, vorrei un operatore"]),
    (true, &["c Mijn fiets is er niet", "a Excuses.", "c Dit is belachelijk, ik wil een medewerker"]),
    (
        true,
        &[
            "c Cancel my order",
            "a I cannot find it.",
            "c Cancel my order please",
            "a I cannot find it.",
            "c cancel my order NOW",
            "a I cannot find it.",
        ],
    ),
    (
        true,
        &[
            "c Is anyone there",
            "a Hello! How can I help?",
            "c Are you a bot? This is useless",
            "a Hello! How can I help?",
        ],
    ),
    (
        true,
        &[
            "c My card was charged twice",
            "f Let me look at it",
            "c Still waiting. My card was charged twice!!",
        ],
    ),
    (true, &["c THIS IS THE WORST SHOP EVER", "a I am sorry to hear that.", "c I WANT MY MONEY BACK NOW"]),
    (false, &["c Are you open on Sunday?", "a Yes, from ten to four.", "c Thank you!"]),
    (false, &["c Hi", "a Hello! How can I help?", "c Do you sell helmets?", "a Yes, from 39 euros."]),
    (false, &["c Where is my order?", "a It arrives today.", "c Great"]),
    (
        false,
        &[
            "c Can I talk to a human",
            "a Of course.",
            "h Hi, Ana here. What can I do?",
            "c My wheel squeaks",
            "h Bring it in.",
        ],
    ),
    (false, &["c ok", "a Anything else?", "c ok", "a Good bye", "c ok"]),
    (false, &["c ¿Abren mañana?", "a Sí, a las nueve.", "c Gracias"]),
    (false, &["c Was kostet die Inspektion?", "a 59 Euro.", "c Danke, dann bis morgen"]),
    (false, &["c Avez-vous des pneus ?", "a Oui.", "c Merci"]),
    (false, &["c It was a human error on my side, sorry", "a No problem."]),
    (false, &["c [image]", "a Nice bike!"]),
    (false, &["c Great!", "a Thanks"]),
    (
        false,
        &[
            "c Do you have 26 inch tyres",
            "a Yes",
            "c And 28 inch tyres",
            "a Yes",
            "c And tubes",
            "a Yes, both",
        ],
    ),
    (false, &["c My refund arrived, thank you", "a Wonderful"]),
    (false, &["c Grazie mille", "a Prego"]),
    (false, &["c Bedankt", "a Graag gedaan"]),
    (false, &["c Obrigado!", "a De nada"]),
];

fn customer_line(line: &str) -> MessageSummary {
    let (who, text) = line.split_once(' ').unwrap_or(("c", line));
    let (direction, sender) = match who {
        "c" => (Direction::Inbound, Sender::Customer),
        "h" => (Direction::Outbound, Sender::Human),
        _ => (Direction::Outbound, Sender::Ai),
    };
    let delivery = if who == "f" { DeliveryStatus::Failed } else { DeliveryStatus::Sent };
    MessageSummary::new(direction, sender, text, &delivery)
}

fn score(lines: &[&str]) -> u32 {
    score_messages(&lines.iter().map(|line| customer_line(line)).collect::<Vec<_>>()).score()
}

#[test]
fn of_the_ten_most_urgent_nine_are_in_trouble() {
    let mut ranked: Vec<(u32, bool)> =
        CORPUS.iter().map(|(trouble, lines)| (score(lines), *trouble)).collect();
    ranked.sort_by_key(|pair| std::cmp::Reverse(pair.0));
    let right = ranked.iter().take(10).filter(|pair| pair.1).count();
    assert!(right >= 9, "{ranked:?}");
}

#[test]
fn trouble_is_told_apart() {
    for (trouble, lines) in CORPUS {
        assert_eq!(score(lines) >= TROUBLE_THRESHOLD, *trouble, "{} for {lines:?}", score(lines));
    }
}

#[test]
fn the_reasons_are_words() {
    let lines = [
        "c Where is my order?",
        "a Your number?",
        "c where is my order",
        "a Your number?",
        "c Where is my order??",
        "a Hm",
        "c A human please",
    ];
    let found = score_messages(&lines.iter().map(|line| customer_line(line)).collect::<Vec<_>>());
    assert_eq!(
        found.to_stored(),
        "55 asks_for_person asked for a person\n45 repeated_question asked the same 3 times\n\
         20 repeated_answer AI repeats itself, twice\n12 upset shouts"
    );
    assert_eq!(TroubleScore::from_stored(&found.to_stored()), found);
    assert_eq!(
        TroubleScore::from_stored(
            "no weight\n\n-1 upset less\n99999999999 upset more\n20 shouts\n20 unknown kind"
        ),
        TroubleScore::default()
    );
}

#[test]
fn waiting_adds_more_the_longer_it_takes() {
    assert_eq!(score_waiting(LONG_WAIT - 1), None);
    let (short, long) =
        (score_waiting(LONG_WAIT).expect("long"), score_waiting(20 * LONG_WAIT).expect("longer"));
    assert!(short.weight < long.weight && long.weight <= 30);
    assert_eq!(long.words, "no answer for 1h");
}

#[test]
fn hostile_text_is_only_text() {
    for text in ["\u{202e}\u{1b}[2J", "🧨🧨🧨🧨", "\0", &"x".repeat(100_000)] {
        assert_eq!(score_messages(&[customer_line(&format!("c {text}"))]).score(), 0);
    }
}

#[test]
fn every_rule_has_its_kind() {
    use crate::trouble::TroubleKind;
    let cases = [
        ("asks", TroubleKind::AsksForPerson, &["c I want to talk to a human"][..]),
        ("asks twice", TroubleKind::AsksForPerson, &["c A human please", "a No.", "c I want a human!"][..]),
        (
            "repeats",
            TroubleKind::RepeatedAnswer,
            &["a Which order is it?", "c 5", "a Which order is it?"][..],
        ),
        (
            "again",
            TroubleKind::RepeatedQuestion,
            &["c Where is my order 1041?", "c Where is my order 1041?"][..],
        ),
        ("failed", TroubleKind::Undelivered, &["f It is on its way."][..]),
        ("shouts", TroubleKind::Upset, &["c WHERE IS MY ORDER"][..]),
    ];
    for (name, kind, lines) in cases {
        assert_eq!(
            score_messages(&lines.iter().map(|line| customer_line(line)).collect::<Vec<_>>()).kind(),
            Some(kind),
            "{name}"
        );
    }
    assert_eq!(TroubleScore::default().kind(), None);
}
