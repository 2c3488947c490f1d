//! Hostile mails: random mutations of the mails in `tests/mail`, and mails built around known
//! correspondents. No mail may crash the parser or exceed its limits of time and memory, and no
//! answer may go to an address outside the headers for the author and for answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use randomized::{case_command, case_seeds};
use url::Host;

use super::*;

const OWN: &str = "desk@shop.example";
const MAX_MAIL_BYTES: usize = 200_000;
/// CPU time allowed per mail in a build without optimization, in nanoseconds.
const MAX_NANOSECONDS: u64 = 10_000_000_000;
/// Memory allowed for the process during a run, in kilobytes.
const MAX_KILOBYTES: u64 = 700_000;
/// Bytes of output allowed per byte of a mail: HTML escapes grow.
const MAX_GROWTH: usize = 16;

/// Fragments with a meaning in mails.
const PIECES: [&str; 60] = [
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    "\0",
    "\t",
    " ",
    "From: Eve <eve@elsewhere.example>\r\n",
    "From:\r\n",
    "Reply-To: ",
    "Reply-To: <>\r\n",
    "Sender: eve@elsewhere.example\r\n",
    "X-Original-From: ",
    "List-Post: <mailto:list@lists.example>\r\n",
    "Date: Fri, 31 Dec 9999 23:59:60 +9999\r\n",
    "Message-ID: <>\r\n",
    "References: <a@b> <a@b> <a@b>\r\n",
    "Content-Type: multipart/mixed; boundary=b\r\n",
    "Content-Type: multipart/alternative; boundary=\"\"\r\n",
    "Content-Type: multipart/report; boundary=b\r\n",
    "Content-Type: message/rfc822\r\n",
    "Content-Type: message/delivery-status\r\n",
    "Content-Type: text/rfc822-headers\r\n",
    "Content-Type: text/plain; charset=utf-7; format=flowed; delsp=yes\r\n",
    "Content-Type: text/html; charset=iso-2022-jp\r\n",
    "Content-Type: text/calendar; method=REQUEST\r\n",
    "Content-Type: application/ms-tnef; name=winmail.dat\r\n",
    "Content-Type: application/pkcs7-mime; name=smime.p7m\r\n",
    "Content-Transfer-Encoding: base64\r\n",
    "Content-Transfer-Encoding: quoted-printable\r\n",
    "Content-Transfer-Encoding: x-uuencode\r\n",
    "Content-Disposition: attachment; filename*0*=utf-8''%C3%; filename*1=x\r\n",
    "MIME-Version: 1.0\r\n",
    "--b\r\n",
    "--b--\r\n",
    "--\r\n",
    "begin 644 a.txt\r\n",
    "begin 644 \r\nM",
    "#86)C\r\n",
    "`\r\nend\r\n",
    "BEGIN:VCALENDAR\r\n",
    "BEGIN:VEVENT\r\n",
    "END:VEVENT\r\n",
    "RRULE:FREQ=SECONDLY;INTERVAL=0;COUNT=999999999999\r\n",
    "DTSTART;TZID=\"x:y\":20261399T999999Z\r\n",
    "SUMMARY:\\n\\,\\;\\\\\r\n",
    "\x78\u{9f}>\"",
    "=?utf-8?q?",
    "=?utf-8?b?w===?=",
    "?=",
    "=C3=",
    "<",
    ">",
    "\"",
    "(",
    ")",
    ",",
    "@",
    "> > ",
    "-- \r\n",
];

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mail");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder of mails")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "eml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a mail")).collect()
}

fn place(random: &mut StdRng, mail: &[u8]) -> usize {
    random.random_range(0..=mail.len())
}

fn span(random: &mut StdRng, mail: &[u8]) -> std::ops::Range<usize> {
    let from = place(random, mail);
    let most = if random.random_bool(0.2) { mail.len() - from } else { (mail.len() - from).min(80) };
    from..from + random.random_range(0..=most)
}

fn insert(mail: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    mail.splice(at..at, bytes.iter().copied());
}

fn change(random: &mut StdRng, mail: &mut Vec<u8>, all: &[Vec<u8>]) {
    let at = place(random, mail);
    match random.random_range(0..12) {
        0 => {
            let span = span(random, mail);
            mail.drain(span);
        }
        1 => {
            let copy = mail[span(random, mail)].to_vec();
            insert(mail, at, &copy);
        }
        2 => {
            let copy = mail[span(random, mail)].to_vec();
            let times = (20_000 / copy.len().max(1)).min(random.random_range(1..2_000));
            insert(mail, at, &copy.repeat(times));
        }
        3 => {
            let other = &all[random.random_range(0..all.len())];
            let part = other[span(random, other)].to_vec();
            insert(mail, at, &part);
        }
        4 => {
            let other = &all[random.random_range(0..all.len())];
            mail.truncate(at);
            mail.extend_from_slice(&other[place(random, other)..]);
        }
        5 => mail.truncate(at),
        6 => {
            let span = span(random, mail);
            for byte in &mut mail[span] {
                *byte = random.random_range(0..=255);
            }
        }
        7 => {
            let depth = random.random_range(1..400);
            let part = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n";
            insert(mail, at, part.repeat(depth).as_bytes());
        }
        8 => {
            let text = String::from_utf8_lossy(mail).replace('\n', "\r\n");
            *mail = text.into_bytes();
        }
        _ => {
            for _ in 0..random.random_range(1..6) {
                let at = if random.random_bool(0.5) { at.min(mail.len()) } else { place(random, mail) };
                insert(mail, at, PIECES[random.random_range(0..PIECES.len())].as_bytes());
            }
        }
    }
    mail.truncate(MAX_MAIL_BYTES);
}

/// CPU time of this thread in nanoseconds; `None` if the system does not report it.
fn processor_time() -> Option<u64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok()
}

fn peak_kilobytes() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/status").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn answered(reading: &ParsedMail) -> Vec<String> {
    match &reading.people.answers_go_to {
        AnswerTarget::Author => {
            reading.people.from.mailboxes.first().map(|author| author.address.clone()).into_iter().collect()
        }
        AnswerTarget::Others { to, .. } => to.clone(),
        AnswerTarget::Nobody { .. } => Vec::new(),
    }
}

/// Headers that may name the target of answers.
const ANSWER_HEADERS: [&str; 4] = ["from", "reply-to", "x-original-from", "x-original-sender"];

/// Returns all words with an `@` in these headers, independently of the parser: lines up to the
/// first empty one, split at characters that no address contains.
fn standing(raw: &[u8]) -> BTreeSet<String> {
    let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
    for line in raw.split(|byte| *byte == b'\n') {
        let is_folded = matches!(line.first(), Some(b' ' | b'\t'));
        match (is_folded, fields.last_mut()) {
            (true, Some(field)) => field.1.extend_from_slice(line),
            _ => {
                let end = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
                let name = String::from_utf8_lossy(&line[..end]).trim().to_ascii_lowercase();
                fields.push((name, line.get(end + 1..).unwrap_or_default().to_vec()));
            }
        }
    }
    let parsed = MessageParser::default().parse(raw);
    let mut found = BTreeSet::new();
    let decoded = |value: &[u8]| match &parsed {
        Some(parsed) => charsets::decode_header(parsed, value),
        None => charsets::decode_text(value, None),
    };
    for (_, value) in fields.iter().filter(|field| ANSWER_HEADERS.contains(&field.0.as_str())) {
        let text = decoded(value).replace(['\r', '\n'], "");
        for text in [without_comments(&text), text] {
            let is_edge = |letter: char| letter.is_whitespace() || "<>,;:()".contains(letter);
            let pieces = text.split(is_edge).flat_map(|piece| [piece.to_owned(), piece.replace('"', "")]);
            found.extend(pieces.filter_map(|piece| normal(&piece)));
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let (mut kept, mut depth) = (String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    kept
}

/// Normalizes an address for comparison: lower case, domain in ASCII.
fn normal(address: &str) -> Option<String> {
    let (local, domain) = address.rsplit_once('@')?;
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let ascii = match Host::parse(domain) {
        Ok(Host::Domain(ascii)) => ascii,
        _ => domain.to_lowercase(),
    };
    Some(format!("{}@{ascii}", local.to_lowercase()))
}

/// Checks the invariants of every mail.
fn check(raw: &[u8], reading: &ParsedMail, told: &str) {
    let standing = standing(raw);
    for address in answered(reading) {
        assert!(bounds::is_email(&address), "{address:?} is no address: {told}");
        assert!(
            !correspondence::is_own(&[OWN.to_owned()], &address),
            "one's own address is answered: {told}"
        );
        let stands = normal(&address).is_some_and(|address| standing.contains(&address));
        let beginning = String::from_utf8_lossy(&raw[..raw.len().min(2_000)]);
        assert!(stands, "{address} does not stand in {standing:?}: {told}\n{beginning:?}");
    }
    let is_line = |text: &str| text.chars().all(|letter| !letter.is_control());
    let names = reading.files.iter().flat_map(|file| [&file.name, &file.mime_type]);
    let people = &reading.people;
    let headers = [&people.from, &people.reply_to, &people.to, &people.cc];
    let shown = headers.iter().flat_map(|header| {
        let names = header.mailboxes.iter().filter_map(|mailbox| mailbox.name.as_ref());
        names.chain(std::iter::once(&header.shown))
    });
    for line in names.chain(shown).chain([&reading.subject, &reading.message_id]) {
        assert!(is_line(line) && line.chars().count() <= 1_010, "{line:?}: {told}");
    }
    assert!(reading.references.len() <= MAX_REFERENCES, "{told}");
    let texts: Vec<&String> = reading.text.iter().chain(&reading.html).collect();
    assert!(texts.iter().all(|text| !text.contains('\0')), "no database keeps this text: {told}");
    let bytes = texts.iter().map(|text| text.len()).sum::<usize>()
        + reading.files.iter().map(|file| file.bytes.len()).sum::<usize>();
    assert!(bytes <= raw.len() * MAX_GROWTH + 10_000, "{bytes} bytes of {}: {told}", raw.len());
}

fn read(raw: &[u8], place: MailPlace<'_>, told: &str) -> ParsedMail {
    let before = processor_time();
    let reading = std::panic::catch_unwind(|| parse_mail(raw, place))
        .unwrap_or_else(|_| panic!("the reader ended: {told}"));
    let took = processor_time().zip(before).map_or(0, |(after, before)| after - before);
    assert!(took <= MAX_NANOSECONDS, "{took} ns: {told}");
    check(raw, &reading, told);
    reading
}

#[test]
fn any_mail_is_read_in_bounds_and_answered_to_nobody_else() {
    let (all, own) = (corpus(), [OWN.to_owned()]);
    let seeds = case_seeds(2_000);
    let is_measured = seeds.is_timed();
    let mut count = 0_u64;
    for seed in seeds {
        let told = case_command(seed, "any_mail_is_read_in_bounds");
        let mut random = StdRng::seed_from_u64(seed);
        let mut mail = all[random.random_range(0..all.len())].clone();
        for _ in 0..random.random_range(1..8) {
            change(&mut random, &mut mail, &all);
        }
        let folder = if random.random_bool(0.1) { MailUpdateKind::Sent } else { MailUpdateKind::Inbox };
        let place = MailPlace { folder, own: &own, is_cut: random.random_bool(0.1), left: &[] };
        let reading = read(&mail, place, &told);
        if random.random_bool(0.05) {
            assert_eq!(parse_mail(&mail, place), reading, "read twice: {told}");
        }
        count += 1;
        if is_measured && count.is_multiple_of(1_000) {
            let peak = peak_kilobytes().unwrap_or(0);
            assert!(peak <= MAX_KILOBYTES, "{peak} kB after {count} mails, the last of which was: {told}");
        }
    }
    println!("{count} mails, {:?} kB at most", peak_kilobytes());
}

/// Writes an address in a random form of a header.
fn named(random: &mut StdRng, address: &str) -> String {
    let (local, domain) = address.split_once('@').expect("an address");
    let bare = address.to_owned();
    let forms = [
        format!("Ann <{bare}>"),
        format!("\"Berg, Ann\" <{bare}>"),
        format!("Berg, Ann <{bare}>"),
        format!("\"eve@elsewhere.example\" <{bare}>"),
        format!("=?utf-8?q?eve=40elsewhere.example?= <{bare}>"),
        format!("=?utf-8?b?ZXZlQGVsc2V3aGVyZS5leGFtcGxlLA==?= <{bare}>"),
        format!("eve@elsewhere.example <{bare}>"),
        format!("{bare} (eve@elsewhere.example)"),
        format!("<@elsewhere.example:{bare}>"),
        format!("\"{local}\"@{domain}"),
        format!("Team: {bare};"),
        format!("Ann\r\n <{bare}>"),
        format!("Ann (a comment, <eve@elsewhere.example>) <{bare}>"),
        bare,
    ];
    forms[random.random_range(0..forms.len())].clone()
}

#[test]
fn answer_goes_to_a_known_correspondent_whatever_stands_around() {
    let own = [OWN.to_owned()];
    for seed in case_seeds(2_000) {
        let told = case_command(seed, "answer_goes_to_a_known_correspondent");
        let mut random = StdRng::seed_from_u64(seed);
        let (author, wanted) = ("ann@a.example", "bo@b.example");
        let has_reply_to = random.random_bool(0.5);
        let mut headers = vec![
            format!("From: {}\r\n", named(&mut random, author)),
            format!("To: {OWN}, Eve <eve@elsewhere.example>\r\n"),
            "Cc: eve@elsewhere.example\r\n".to_owned(),
            "Sender: eve@elsewhere.example\r\n".to_owned(),
            "Return-Path: <eve@elsewhere.example>\r\n".to_owned(),
            "Resent-From: eve@elsewhere.example\r\n".to_owned(),
            "Errors-To: eve@elsewhere.example\r\n".to_owned(),
            "Mail-Followup-To: eve@elsewhere.example\r\n".to_owned(),
            "X-Original-From: eve@elsewhere.example\r\n".to_owned(),
            "Disposition-Notification-To: eve@elsewhere.example\r\n".to_owned(),
            "Subject: =?utf-8?q?x=0D=0AReply-To:_eve=40elsewhere.example?=\r\n".to_owned(),
        ];
        if has_reply_to {
            headers.push(format!("Reply-To: {}\r\n", named(&mut random, wanted)));
        }
        // The order of headers must not matter.
        for last in (1..headers.len()).rev() {
            headers.swap(last, random.random_range(0..=last));
        }
        headers.truncate(headers.len() - random.random_range(0..2_usize));
        let inner = "From: Eve <eve@elsewhere.example>\r\nReply-To: eve@elsewhere.example\r\n\r\nHello";
        let body = match random.random_range(0..4) {
            0 => format!("\r\n{inner}"),
            1 => format!("Content-Type: message/rfc822\r\n\r\n{inner}"),
            2 => format!(
                "Content-Type: multipart/mixed; boundary=b\r\n\r\n{inner}\r\n--b\r\n{inner}\r\n--b\r\n\
                 Content-Type: message/rfc822\r\n\r\n{inner}\r\n--b--\r\n{inner}"
            ),
            _ => format!("\r\n> {inner}\r\n{inner}"),
        };
        let mail = headers.concat() + &body;
        let place = MailPlace { folder: MailUpdateKind::Inbox, own: &own, is_cut: false, left: &[] };
        let reading = read(mail.as_bytes(), place, &told);
        let known = |header: &str| headers.iter().any(|line| line.starts_with(header));
        let expected: &[&str] = match (known("Reply-To:"), known("From:")) {
            (true, _) => &[wanted],
            (false, true) => &[author],
            (false, false) => &[],
        };
        assert_eq!(answered(&reading), expected, "{told}\n{mail}");
    }
}
