use crate::conversations::Automation;
use crate::filter::{
    ConversationFilter, FilterDay, FilterSubject, FilterTest, HasFilter, IsFilter, Phrase, StatusFilter,
    WindowFilter, complete, known_values, parse,
};
use crate::time::{HOUR, MINUTE};

fn phrase_of(text: &str) -> Phrase {
    Phrase { text: text.into(), exact: false }
}

fn quoted(text: &str) -> Phrase {
    Phrase { text: text.into(), exact: true }
}

#[test]
fn each_word_is_read() {
    let cases = [
        ("status:open", FilterSubject::Status(StatusFilter::Open)),
        ("status:active", FilterSubject::Status(StatusFilter::Open)),
        ("STATUS:Closed", FilterSubject::Status(StatusFilter::Closed)),
        ("status:any", FilterSubject::Status(StatusFilter::Any)),
        ("ai:off", FilterSubject::Ai(Automation::Off)),
        ("ai:unknown", FilterSubject::Ai(Automation::Unknown)),
        ("window:<2h", FilterSubject::Window(WindowFilter::Below(2 * HOUR))),
        ("window:>90m", FilterSubject::Window(WindowFilter::Above(90 * MINUTE))),
        ("window:closed", FilterSubject::Window(WindowFilter::Closed)),
        ("from:+44", FilterSubject::Phone("+44".into())),
        ("from:\"+44 7700\"", FilterSubject::Phone("+447700".into())),
        ("from:maria", FilterSubject::Name(phrase_of("maria"))),
        ("from:\"maria lopez\"", FilterSubject::Name(quoted("maria lopez"))),
        ("tag:VIP", FilterSubject::Tag("vip".into())),
        ("has:media", FilterSubject::Has(HasFilter::Media)),
        ("has:file", FilterSubject::Has(HasFilter::Media)),
        ("to:sales@harbor", FilterSubject::To(phrase_of("sales@harbor"))),
        ("subject:\"order 1041\"", FilterSubject::Subject(quoted("order 1041"))),
        ("after:1970-01-11", FilterSubject::After(FilterDay::Date(10))),
        ("before:today", FilterSubject::Before(FilterDay::Ago(0))),
        ("before:yesterday", FilterSubject::Before(FilterDay::Ago(1))),
        ("after:7d", FilterSubject::After(FilterDay::Ago(7))),
        ("is:unread", FilterSubject::Is(IsFilter::Unread)),
        ("is:starred", FilterSubject::Is(IsFilter::Starred)),
        ("folder:Archive", FilterSubject::Folder("archive".into())),
        ("category:Billing", FilterSubject::Category("billing".into())),
        ("priority:high", FilterSubject::Priority("high".into())),
        ("is:broadcast", FilterSubject::Is(IsFilter::Broadcast)),
        ("is:claimed", FilterSubject::Is(IsFilter::Claimed)),
        ("refund", FilterSubject::Text(phrase_of("refund"))),
        ("\"order 1041\"", FilterSubject::Text(quoted("order 1041"))),
        ("\"still open", FilterSubject::Text(quoted("still open"))),
        ("10:30", FilterSubject::Text(phrase_of("10:30"))),
        ("https://shop", FilterSubject::Text(phrase_of("https://shop"))),
    ];
    for (line, what) in cases {
        let parsed = parse(line);
        assert_eq!(
            (parsed.filter, parsed.mistakes),
            (ConversationFilter::of_subject(what), vec![]),
            "{line}"
        );
    }
}

#[test]
fn words_stand_beside_each_other_and_are_turned_by_a_dash() {
    let parsed = parse("  ai:off -is:paused  -\"thank you\" - ");
    let test = |negated, what| FilterTest { negated, subject: what };
    let wanted = vec![
        test(false, FilterSubject::Ai(Automation::Off)),
        test(true, FilterSubject::Is(IsFilter::Paused)),
        test(true, FilterSubject::Text(quoted("thank you"))),
    ];
    assert_eq!((parsed.filter.tests, parsed.mistakes), (wanted, vec![]));
    // An incomplete word is ignored.
    for begun in ["", "status:", "-ai:", "\"", "from:\""] {
        assert_eq!(parse(begun), super::ParsedFilter::default(), "{begun}");
    }
}

#[test]
fn a_mistake_is_named_and_the_rest_still_filters() {
    let cases = [
        ("statsu:open", "statsu: is not known; did you mean status:?"),
        ("invoice:1041", "invoice: is not known; known are status: ai:"),
        ("ai:maybe", "ai:maybe is not known; use ai: with on, off, unknown"),
        ("window:2h", "window:2h is not known; use window: with open, closed, <2h, >2h"),
        ("window:<2x", "window:<2x is not known"),
        ("window:<99999999999999999999h", "is not known"),
        ("is:gone", "is:gone is not known; use is: with waiting, unseen"),
        ("from:…", "from:… cannot be searched for"),
        ("after:2026-02-30", "after:2026-02-30 is not known; use after: with today, yesterday, 7d"),
        ("before:20-11-2026", "is not known"),
        ("after:-1d", "is not known"),
    ];
    for (word, says) in cases {
        let line = format!("maria {word} ai:on");
        let parsed = parse(&line);
        assert_eq!(parsed.mistakes.len(), 1, "{word}");
        assert_eq!(&line[parsed.mistakes[0].at.clone()], word);
        assert!(parsed.mistakes[0].message.contains(says), "{word}: {}", parsed.mistakes[0].message);
        assert_eq!(parsed.filter.tests.len(), 2, "{word}");
    }
    for field in ["status", "ai", "window", "has", "is", "after", "before"] {
        for value in known_values(field) {
            assert!(parse(&format!("{field}:{value}")).mistakes.is_empty(), "{field}:{value}");
        }
    }
}

#[test]
fn the_last_word_is_completed_where_only_one_fits() {
    let cases = [
        ("st", "status:"),
        ("maria ai:un", "maria ai:unknown "),
        ("-ha", "-has:"),
        ("status:", "status:"),
        ("status:c", "status:closed "),
        ("is:fa", "is:failing "),
        ("zz", "zz"),
        ("maria ", "maria "),
    ];
    for (typed, completed) in cases {
        assert_eq!(complete(typed), completed);
    }
}

#[test]
fn what_is_typed_takes_the_place_of_what_it_excludes() {
    let view = parse("status:open ai:off is:waiting").filter;
    assert_eq!(
        view.narrow(&parse("status:closed maria").filter),
        parse("ai:off is:waiting status:closed maria").filter
    );
    assert_eq!(view.narrow(&parse("-status:closed").filter).tests.len(), 4);
    assert_eq!(view.narrow(&ConversationFilter::all()), view);
}

#[test]
fn phrases_are_found_as_people_read() {
    let cases = [
        ("where is", false, "Is it here? Where?", true),
        ("where is", true, "Is it here? Where?", false),
        ("where is", true, "Hi, where is my order", true),
        ("my ord", true, "Hi, where is MY order", true),
        ("y order", true, "Hi, where is my order", false),
        ("joao", true, "João Pereira", true),
        ("注文", false, "私の注文です", true),
        ("", true, "anything", true),
    ];
    for (text, exact, found_in, found) in cases {
        assert_eq!(Phrase { text: text.into(), exact }.is_in(found_in), found, "{text} in {found_in}");
    }
}
