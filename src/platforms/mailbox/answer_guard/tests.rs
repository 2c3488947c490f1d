use super::*;

fn guard(protocol: MailProtocol, size: AnswerSize) -> AnswerGuard {
    let mut guard = AnswerGuard::new(protocol);
    guard.expect(size);
    guard
}

/// Sends text until a bound is exceeded; returns the bytes admitted before.
fn flood(mut guard: AnswerGuard, first: &str, text: &str) -> (usize, AnswerBound) {
    let mut admitted = 0;
    let mut next = first;
    loop {
        match guard.admit(next.as_bytes()) {
            Ok(()) => admitted += next.len(),
            Err(bound) => {
                assert_eq!(guard.admit(b"* OK\r\n"), Err(bound), "it is never read again");
                return (admitted, bound);
            }
        }
        next = text;
    }
}

#[test]
fn every_endless_answer_ends_at_its_bound() {
    use AnswerSize::{Mails, Short, Usual};
    use MailProtocol::{Imap, Smtp};
    let x = "x".repeat(1000);
    let (short, usual, mails) = (Short.max_bytes(), Usual.max_bytes(), Mails.max_bytes());
    let cases = [
        (Imap, Short, "* OK ", x.as_str(), MAX_LINE_BYTES, AnswerBound::Line),
        (Imap, Mails, "* 1 FETCH (FLAGS (", x.as_str(), MAX_LINE_BYTES, AnswerBound::Line),
        (Smtp, Short, "220 ", x.as_str(), MAX_LINE_BYTES, AnswerBound::Line),
        (Smtp, Short, "", "250-x\r\n", MAX_REPLY_LINES * 7, AnswerBound::Lines(MAX_REPLY_LINES)),
        (Imap, Short, "", "* CAPABILITY IMAP4rev1\r\n", short, AnswerBound::Answer(short)),
        (
            Imap,
            Usual,
            "",
            "* LIST () \"/\" a.folder.with.a.long.name.in.it\r\n",
            usual,
            AnswerBound::Answer(usual),
        ),
        (Imap, Mails, "", "* 1 FETCH (UID 1)\r\n", mails, AnswerBound::Lines(MAX_RESPONSES)),
        (Imap, Mails, "* 1 FETCH ", "(", 100, AnswerBound::Nesting),
        (Imap, Mails, "* 1 FETCH (X ", "{0}\r\n", 2000, AnswerBound::Literals),
        (Imap, Mails, "", "* LIST () {70000}\r\n", 0, AnswerBound::Literal(70_000)),
        (Imap, Usual, "", "* 1 FETCH (BODY[] {70000}\r\n", 0, AnswerBound::Literal(70_000)),
        (Imap, Mails, "", "* 1 FETCH (BODY[] {99999999+}\r\n", 0, AnswerBound::Literal(99_999_999)),
        (
            Imap,
            Mails,
            "",
            "* 1 FETCH (BODY[] {999999999999999999999}\r\n",
            0,
            AnswerBound::Literal(usize::MAX),
        ),
    ];
    for (protocol, size, first, text, max, expected) in cases {
        let (admitted, bound) = flood(guard(protocol, size), first, text);
        assert_eq!(bound, expected, "{first}{text:.30}");
        assert!(admitted <= max, "{first}{text:.30}: {admitted} bytes were admitted");
    }
}

#[test]
fn mails_of_every_allowed_size_pass_in_pieces_of_any_size() {
    let mail = "a line with (((( and {5}\r\n".repeat(40_000);
    let answer = format!(
        "* 3 FETCH (UID 7 FLAGS (\\Seen) BODY[] {{{}}}\r\n{mail})\r\na1 OK Fetch completed.\r\n",
        mail.len()
    );
    for piece in [1, 7, 4096, usize::MAX] {
        let mut guard = guard(MailProtocol::Imap, AnswerSize::Mails);
        for _ in 0..3 {
            guard.begin_answer();
            for bytes in answer.as_bytes().chunks(piece.min(answer.len())) {
                assert_eq!(guard.admit(bytes), Ok(()), "pieces of {piece}");
            }
            assert_eq!((guard.answer_lines, guard.literal_left), (2, 0));
        }
    }
}

#[test]
fn a_long_mailbox_and_a_long_greeting_pass() {
    let mut mails = guard(MailProtocol::Imap, AnswerSize::Mails);
    for uid in 0..300_000 {
        let line = format!("* {uid} FETCH (UID {uid} FLAGS (\\Seen $Label1) RFC822.SIZE 123456)\r\n");
        assert_eq!(mails.admit(line.as_bytes()), Ok(()));
    }
    let mut greeting = guard(MailProtocol::Smtp, AnswerSize::Short);
    for _ in 0..100 {
        assert_eq!(
            greeting.admit(b"220-mail.shop.example says that only its customers may send here\r\n"),
            Ok(())
        );
    }
    assert_eq!(greeting.admit(b"220 ready {12}\r\n250 next\r\n"), Ok(()));
    assert_eq!(greeting.answer_lines, 102, "literals are not of this protocol");
}

#[test]
fn an_error_of_a_guarded_connection_names_its_bound() {
    let error = io::Error::from(AnswerBound::Line);
    assert_eq!(exceeded(&error), Some(AnswerBound::Line));
    assert_eq!(exceeded(&io::ErrorKind::ConnectionReset.into()), None);
}
