//! Composed mails, and protection against header injection.

use proptest::prelude::*;

use super::*;
use crate::text::SafeText;

fn letter() -> MailMessage {
    let line = |text: &str| SafeText::line(text);
    MailMessage {
        from: line("ana@y.example"),
        from_name: Some(line("Ana")),
        to: vec![line("shop@x.example"), line("bob@y.example")],
        cc: vec![line("c@z.example"), line("SHOP@x.example")],
        subject: Some(line("Order 1041")),
        header_id: Some("<1@y.example>".to_owned()),
        plain: Some(SafeText::block("Where is it?\n\nAna")),
        ..MailMessage::default()
    }
}

fn own() -> Vec<String> {
    vec!["shop@x.example".to_owned()]
}

#[test]
fn answers_go_where_they_belong() {
    let one = reply_to_mail(&letter(), None, &own(), false, "20 Nov 10:00");
    assert_eq!(
        (one.to.as_str(), one.cc.as_str(), one.subject.as_str()),
        ("ana@y.example", "", "Re: Order 1041")
    );
    assert_eq!(one.quote.as_deref(), Some("On 20 Nov 10:00, Ana wrote:\n> Where is it?\n>\n> Ana"));
    assert_eq!(one.in_reply_to.as_deref(), Some("<1@y.example>"));
    let all = reply_to_mail(&letter(), None, &own(), true, "");
    assert_eq!((all.to.as_str(), all.cc.as_str()), ("ana@y.example", "bob@y.example, c@z.example"));
    let listed = MailMessage { reply_to: vec![SafeText::line("list@y.example")], ..letter() };
    assert_eq!(reply_to_mail(&listed, None, &own(), false, "").to, "list@y.example");
    let several = ["a@y.example", "SHOP@x.example", "b@y.example"].map(SafeText::line).to_vec();
    let several = MailMessage { reply_to: several, ..letter() };
    assert_eq!(reply_to_mail(&several, None, &own(), false, "").to, "a@y.example, b@y.example");
    for unreadable in ["ana y.example", "Doe, John", ""] {
        let from = SafeText::line(unreadable);
        let asks = MailMessage { from, to: vec![SafeText::line("shop@x.example")], ..letter() };
        assert_eq!(reply_to_mail(&asks, None, &own(), false, "").to, "", "{unreadable}");
    }
    let asks = MailMessage { is_unanswerable: true, ..letter() };
    assert_eq!(reply_to_mail(&asks, None, &own(), false, "").to, "");
    let mine = MailMessage { from: SafeText::line("Shop@x.example"), ..letter() };
    assert_eq!(reply_to_mail(&mine, None, &own(), false, "").to, "bob@y.example");
    let again = MailMessage { subject: Some(SafeText::line("RE: Order 1041")), ..letter() };
    assert_eq!(reply_to_mail(&again, None, &own(), false, "").subject, "RE: Order 1041");
    let passed = forward_mail(&letter(), &MessageId::from("m1"), None, "today");
    assert_eq!((passed.to.as_str(), passed.subject.as_str()), ("", "Fwd: Order 1041"));
    assert!(passed.quote.is_some_and(|quote| quote.contains("From: ana@y.example\nDate: today")));
}

#[test]
fn what_is_wrong_with_a_mail_is_named() {
    let good = ComposedMail {
        to: "a@b.example".into(),
        subject: "Hi".into(),
        body: "text".into(),
        ..ComposedMail::default()
    };
    assert!(good.to_mail(None, &own()).is_ok());
    let many =
        (0..=bounds::MAX_ATTACHMENTS).map(|number| DraftFile::Typed(format!("/tmp/{number}"))).collect();
    let cases = [
        (ComposedMail { to: String::new(), ..good.clone() }, 0, "To: at least one"),
        (ComposedMail { to: "ana".into(), ..good.clone() }, 0, "To: \"ana\" is not a mail address"),
        (ComposedMail { cc: "a@b.example, x".into(), ..good.clone() }, 1, "Cc: \"x\""),
        (ComposedMail { bcc: "@".into(), ..good.clone() }, 2, "Bcc:"),
        (ComposedMail { subject: " \r\n ".into(), ..good.clone() }, 3, "Subject: empty"),
        (
            ComposedMail { subject: "x".repeat(bounds::MAX_SUBJECT_CHARS + 1), ..good.clone() },
            3,
            "Subject: 999 characters",
        ),
        (ComposedMail { body: " ".into(), ..good.clone() }, 4, "the mail is empty"),
        (ComposedMail { files: many, ..good.clone() }, 4, "21 files; at most 20 are allowed"),
    ];
    for (written, place, words) in cases {
        let (at, why) = written.to_mail(None, &own()).expect_err("wrong");
        assert!(at == place && why.starts_with(words), "{at} {why}");
    }
    let most = ComposedMail { subject: "x".repeat(bounds::MAX_SUBJECT_CHARS), ..good.clone() };
    assert!(most.to_mail(None, &own()).is_ok());
    let doubled = ComposedMail { cc: "A@b.example, shop@x.example, c@d.example".into(), ..good.clone() };
    let mail = doubled.to_mail(None, &own()).expect("a mail");
    assert_eq!((mail.to, mail.cc), (vec!["a@b.example".to_owned()], vec!["c@d.example".to_owned()]));
    let to_self = ComposedMail { to: "shop@x.example".into(), ..good.clone() };
    assert_eq!(to_self.to_mail(None, &own()).expect("a mail").to, own());
    let files =
        ComposedMail { files: vec!["/tmp/a b.pdf".into(), "https://f.example/c.png?x=1".into()], ..good };
    let mail = files.to_mail(None, &own()).expect("a mail");
    let kinds: Vec<(&str, &str)> = mail
        .attachments
        .iter()
        .map(|attachment| (attachment.filename.as_str(), attachment.content_type.as_str()))
        .collect();
    assert_eq!(kinds, [("a b.pdf", "application/pdf"), ("c.png", "image/png")]);
    assert!(matches!(mail.attachments[1].source, crate::outbox::content::MailAttachmentSource::Link(_)));
}

#[test]
fn a_mail_begins_in_the_style_of_its_tab() {
    let style = |above: bool| MailStyle {
        from: Some("Ana <shop@x.example>".into()),
        signature: Some("Ana, Harbor Bikes\nattached to you\n".into()),
        quoting: if above { QuoteStyle::Above } else { QuoteStyle::Below },
        attribution: None,
    };
    let begun = |above| reply_to_mail(&letter(), None, &own(), false, "today").with_style(&style(above));
    assert_eq!(begun(false).body, "\n\n-- \nAna, Harbor Bikes\nattached to you");
    assert!(
        begun(false).is_blank() && !begun(false).is_missing_file(),
        "a signature is no word of one's own"
    );
    let (_, why) = begun(false).to_mail(None, &own()).expect_err("empty");
    assert_eq!(why, "the mail is empty");
    let written = |above| ComposedMail { body: format!("Hi{}", begun(above).body), ..begun(above) };
    let (below, above) = (written(false).full_text(), written(true).full_text());
    assert!(below.starts_with("Hi\n\n-- \nAna, Harbor Bikes") && below.contains("\n\nOn today"), "{below}");
    assert!(
        above.starts_with("On today") && above.ends_with("Hi\n\n-- \nAna, Harbor Bikes\nattached to you"),
        "{above}"
    );
    let mail = written(true).to_mail(None, &own()).expect("a mail");
    assert_eq!(mail.from.as_deref(), Some("Ana <shop@x.example>"));
    let passed = forward_mail(&letter(), &MessageId::from("m1"), None, "today").with_style(&style(true));
    assert_eq!(passed.quoting, QuoteStyle::Below, "what is passed on stands below");
    assert!(!ComposedMail { body: "a\n--\nb".into(), ..ComposedMail::default() }.is_blank());
}

#[test]
fn a_mail_is_quoted_where_its_tab_wants_and_under_its_line() {
    let answered = || reply_to_mail(&letter(), None, &own(), false, "today");
    let style = |quoting| MailStyle { quoting, signature: Some("Tom".into()), ..MailStyle::default() };
    let between = answered().with_style(&style(QuoteStyle::Between));
    assert!(between.is_blank(), "what others wrote is no word of one's own");
    assert_eq!(between.quote, None);
    assert_eq!(between.body, "On today, Ana wrote:\n> Where is it?\n\n\n> Ana\n\n\n\n-- \nTom");
    let body = between.body.replacen("\n\n", "\nHere.\n", 1);
    assert!(!ComposedMail { body, ..between }.is_blank());
    let nowhere = ComposedMail { body: "Hi".into(), ..answered().with_style(&style(QuoteStyle::Nowhere)) };
    assert_eq!(nowhere.full_text(), "Hi");
    let turns: Vec<&str> =
        std::iter::successors(Some(QuoteStyle::Below), |quote_style| Some(quote_style.next()))
            .take(4)
            .map(QuoteStyle::word)
            .collect();
    assert_eq!(turns, ["below", "above", "none", "below"]);
    let line =
        |attribution| answered().with_attribution(&letter(), "today", attribution).quote.expect("a quote");
    assert_eq!(
        line("{name} <{address}> about {subject}, {date}: {x}").lines().next(),
        Some("Ana <ana@y.example> about Order 1041, today: {x}")
    );
    let sly = MailMessage { from_name: Some(SafeText::line("{address}")), ..letter() };
    let quote = answered().with_attribution(&sly, "today", "{name}:").quote.expect("a quote");
    assert!(quote.starts_with("{address}:\n> Where"), "a name fills in nothing: {quote}");
}

#[test]
fn a_file_that_was_forgotten_is_missed() {
    let says = |body: &str| ComposedMail { body: body.to_owned(), ..ComposedMail::default() };
    for text in ["I attached the form", "Im Anhang das Formular", "Le envío adjunto el formulario"] {
        assert!(says(text).is_missing_file(), "{text}");
    }
    assert!(!says("Thank you").is_missing_file());
    assert!(!ComposedMail { files: vec!["/a".into()], ..says("attached") }.is_missing_file());
    assert!(!ComposedMail { quote: Some("> attached".into()), ..says("Thanks") }.is_missing_file());
}

fn anything() -> impl Strategy<Value = ComposedMail> {
    let line = || "[ -~äé\\r\\n\\t\u{85}\u{2028}]{0,30}";
    let text = || "[ -~äé\\n]{0,60}";
    (
        line(),
        line(),
        line(),
        line(),
        proptest::option::of(line()),
        any::<bool>(),
        text(),
        proptest::option::of(text()),
    )
        .prop_map(|(to, cc, bcc, subject, answers, html, body, quote)| ComposedMail {
            to,
            cc,
            bcc,
            subject,
            in_reply_to: answers,
            html,
            body,
            quote,
            ..ComposedMail::default()
        })
}

proptest! {
    #![proptest_config(randomized::config(256))]

    #[test]
    fn nothing_written_adds_a_header(written in anything()) {
        if let Ok(mail) = written.to_mail(None, &[]) {
            for line in mail.to.iter().chain(&mail.cc).chain(&mail.bcc).chain([&mail.subject]) {
                let breaks = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
                prop_assert!(!line.chars().any(breaks), "{:?}", line);
            }
        }
        let draft = written.to_draft_text();
        let head = draft.split("\n\n").next().unwrap_or("");
        let known = ["To:", "Cc:", "Bcc:", "Subject:", "Answers:", "Format:", "File:", "Received file:", "From:", "Quote:"];
        prop_assert!(head.lines().all(|line| known.iter().any(|name| line.starts_with(name))), "{:?}", head);
    }

    #[test]
    fn a_draft_comes_back_as_it_was(body in "[ -~äé\\n]{0,80}", subject in "[a-z ]{1,20}", html: bool) {
        let written = ComposedMail {
            to: "a@b.example".into(),
            subject: subject.trim().to_owned(),
            html,
            files: vec!["/tmp/a b".into()],
            quote: Some("> x".into()),
            from: Some("Ana <a@b.example>".into()),
            quoting: QuoteStyle::ALL[usize::from(html) * 3],
            body,
            ..ComposedMail::default()
        };
        prop_assert_eq!(ComposedMail::from_draft_text(&written.to_draft_text()), Some(written));
    }
}
