//! Mails whose charset is not declared, or declared wrongly.

use encoding_rs::Encoding;

use super::*;

struct Sample {
    charset: &'static str,
    /// Domain of the author.
    domain: &'static str,
    name: &'static str,
    subject: &'static str,
    text: &'static str,
}

const fn sample(
    charset: &'static str,
    domain: &'static str,
    [name, subject, text]: [&'static str; 3],
) -> Sample {
    Sample { charset, domain, name, subject, text }
}

const SAMPLES: [Sample; 15] = [
    sample(
        "windows-1252",
        "mail.example",
        ["Jörg Müller", "Größe der Jacke", "Ist die Jacke in Größe „M“ lieferbar? Viele Grüße aus München"],
    ),
    sample(
        "windows-1250",
        "rowery.pl",
        ["Łukasz Wójcik", "Zamówienie części", "Proszę o przesłanie części do roweru. Dziękuję, Łukasz"],
    ),
    sample(
        "windows-1251",
        "mail.example",
        ["Анна", "Заказ велосипеда", "Здравствуйте! Когда придёт мой заказ? Спасибо"],
    ),
    sample("koi8-r", "mail.example", ["Анна", "Вопрос о заказе", "Когда придет мой велосипед? Спасибо"]),
    sample(
        "windows-1253",
        "mail.example",
        ["Μαρία Παππά", "Παραγγελία ποδηλάτου", "Καλημέρα, πότε θα έρθει η παραγγελία μου; Ευχαριστώ"],
    ),
    sample(
        "windows-1254",
        "bisiklet.tr",
        ["Ayşe Yılmaz", "Sipariş değişikliği", "Siparişimi değiştirmek istiyorum, teşekkürler. İyi günler"],
    ),
    sample(
        "windows-1255",
        "mail.example",
        ["דנה לוי", "הזמנה של אופניים", "שלום, מתי תגיע ההזמנה שלי? תודה"],
    ),
    sample("windows-1256", "mail.example", ["مريم حسن", "طلب دراجة جديدة", "مرحبا، متى يصل طلبي؟ شكرا جزيلا"]),
    sample("windows-874", "mail.example", ["สมชาย ใจดี", "สั่งซื้อจักรยาน", "สวัสดีครับ สินค้าจะมาถึงเมื่อไหร่ ขอบคุณครับ"]),
    sample(
        "shift_jis",
        "mail.example",
        ["山田 花子", "ご注文の表について", "自転車の予約を変更したいです。よろしくお願いします。"],
    ),
    sample(
        "euc-jp",
        "mail.example",
        ["山田 花子", "ご注文について", "自転車の予約を変更したいです。よろしくお願いします。"],
    ),
    sample("iso-2022-jp", "mail.example", ["山田 花子", "ご注文について", "自転車の予約を変更したいです。"]),
    sample(
        "gb18030",
        "mail.example",
        ["王小明", "关于我的订单", "您好，我想修改自行车的订单，谢谢您的帮助。"],
    ),
    sample("big5", "mail.example", ["王小明", "關於我的訂單", "您好，我想修改自行車的訂單，謝謝您的幫助。"]),
    sample(
        "euc-kr",
        "mail.example",
        ["김민수", "주문에 대한 문의", "안녕하세요, 자전거 주문을 변경하고 싶습니다. 감사합니다."],
    ),
];

fn encode(charset: &str, text: &str) -> Vec<u8> {
    let charset = Encoding::for_label(charset.as_bytes()).expect("a charset");
    let (bytes, _, is_lossy) = charset.encode(text);
    assert!(!is_lossy, "{text}");
    bytes.into_owned()
}

fn parse(raw: &[u8]) -> ParsedMail {
    let own = ["desk@shop.example".to_owned()];
    parse_mail(raw, MailPlace { folder: MailUpdateKind::Inbox, own: &own, is_cut: false, left: &[] })
}

fn text_of(raw: &[u8]) -> String {
    parse(raw).text.unwrap_or_default().trim().to_owned()
}

fn subject_of(subject: &[u8]) -> String {
    parse(&[b"From: ann@a.example\r\nSubject: ", subject, b"\r\n\r\nHello"].concat()).subject
}

fn body(content_type: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("From: ann@a.example\r\nSubject: Bike\r\nContent-Type: {content_type}\r\n\r\n");
    [head.as_bytes(), content].concat()
}

impl Sample {
    /// Mail with raw bytes in its headers, its text and the name of its file.
    fn mail(&self, declared: &str) -> Vec<u8> {
        let bytes = |text: &str| encode(self.charset, text);
        [
            b"From: \"".as_slice(),
            &bytes(self.name),
            format!("\" <kim@{}>\r\nSubject: ", self.domain).as_bytes(),
            &bytes(self.subject),
            b"\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
            format!("Content-Type: text/plain{declared}\r\n\r\n").as_bytes(),
            &bytes(self.text),
            b"\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"",
            &bytes(self.subject),
            b".pdf\"\r\n\r\nfile\r\n--b--\r\n",
        ]
        .concat()
    }

    fn check(&self, declared: &str, wrong: &mut Vec<String>) {
        let found = parse(&self.mail(declared));
        let author = found.people.from.mailboxes.first().and_then(|mailbox| mailbox.name.clone());
        let pairs = [
            ("name", author.unwrap_or_default(), self.name.to_owned()),
            ("subject", found.subject, self.subject.to_owned()),
            ("text", found.text.unwrap_or_default().trim().to_owned(), self.text.to_owned()),
            (
                "file",
                found.files.first().map(|file| file.name.clone()).unwrap_or_default(),
                format!("{}.pdf", self.subject),
            ),
        ];
        for (what, found, expected) in pairs.into_iter().filter(|(_, found, expected)| found != expected) {
            wrong.push(format!("{}{declared}: {what} is {found:?}, not {expected:?}", self.charset));
        }
    }
}

#[test]
fn a_charset_that_is_missing_or_wrong_is_guessed() {
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        for declared in ["", "; charset=us-ascii", "; charset=utf-8", "; charset=x-unknown"] {
            sample.check(declared, &mut wrong);
        }
    }
    assert_eq!(wrong, [] as [String; 0], "\n{}", wrong.join("\n"));
}

#[test]
fn headers_are_in_the_charset_that_the_text_declares() {
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        sample.check(&format!("; charset={}", sample.charset), &mut wrong);
    }
    assert_eq!(wrong, [] as [String; 0], "\n{}", wrong.join("\n"));
}

#[test]
fn a_charset_that_fits_wins_over_a_guess() {
    // These bytes are valid UTF-8 and frequent words in the declared charset.
    assert_eq!(text_of(&body("text/plain; charset=gbk", &encode("gbk", "联通"))), "联通");
    assert_eq!(text_of(&body("text/plain; charset=iso-8859-2", &encode("iso-8859-2", "PODRÓŻ"))), "PODRÓŻ");
    assert_eq!(text_of(&body("text/plain; charset=cp866", &encode("ibm866", "Привет"))), "Привет");
    assert_eq!(
        text_of(&body("text/plain; charset=x-mac-cyrillic", &encode("x-mac-cyrillic", "Привет"))),
        "Привет"
    );
    for label in ["cp932", "shift-jis", "MS_Kanji"] {
        let text = encode("shift_jis", "表①");
        assert_eq!(text_of(&body(&format!("text/plain; charset={label}"), &text)), "表①", "{label}");
    }
    assert_eq!(text_of(&body("text/plain; charset=cp950", &encode("big5", "訂單"))), "訂單");
    assert_eq!(text_of(&body("text/plain; charset=cp949", &encode("euc-kr", "주문"))), "주문");
}

#[test]
fn valid_utf_8_wins_over_a_guess() {
    for declared in ["", "; charset=us-ascii", "; charset=iso-8859-1", "; charset=x-unknown"] {
        let raw = body(&format!("text/plain{declared}"), "Größe 表 Привет".as_bytes());
        assert_eq!(text_of(&raw), "Größe 表 Привет", "{declared}");
    }
    assert_eq!(subject_of("Größe 表 Привет".as_bytes()), "Größe 表 Привет");
    assert_eq!(subject_of(b"=?iso-8859-1?Q?Gr=C3=B6=C3=9Fe?="), "Größe");
    assert_eq!(subject_of(b"=?us-ascii?B?R3LDtsOfZQ==?="), "Größe");
}

#[test]
fn one_broken_character_does_not_change_the_charset() {
    let cut = |charset: &str, text: &str| {
        let mut bytes = encode(charset, text);
        bytes.pop();
        text_of(&body(&format!("text/plain; charset={charset}"), &bytes))
    };
    assert_eq!(cut("utf-8", "Die Größe für Jürgen ist schön"), "Die Größe für Jürgen ist schö");
    assert_eq!(cut("utf-8", "Die Größe für Jürgen, schö"), "Die Größe für Jürgen, sch");
    assert_eq!(cut("utf-8", "Größé"), "Größ");
    assert_eq!(cut("shift_jis", "ご注文について"), "ご注文につい");
    assert_eq!(cut("gb18030", "关于我的订单"), "关于我的订");
    let mut undeclared = encode("utf-8", "ご注文について");
    undeclared.pop();
    assert_eq!(text_of(&body("text/plain", &undeclared)), "ご注文につい");
    let mut broken = "Die Größe für ".as_bytes().to_vec();
    broken.extend_from_slice(b"J\xc3rgen ist sch\xc3\xb6n\r\nund gut");
    assert_eq!(
        text_of(&body("text/plain; charset=utf-8", &broken)),
        "Die Größe für J\u{fffd}rgen ist schön\r\nund gut"
    );
}

#[test]
fn a_footer_in_another_charset_is_read_beside_utf_8() {
    let raw =
        ["Die Größe für Jürgen: „M“\r\n".as_bytes(), b"-- \r\nVerschl\xfcsselt \xfcbertragen\r\n"].concat();
    let expected = "Die Größe für Jürgen: „M“\r\n-- \r\nVerschlüsselt übertragen";
    assert_eq!(text_of(&body("text/plain; charset=utf-8", &raw)), expected);
    assert_eq!(text_of(&body("text/plain", &raw)), expected);
}

#[test]
fn encoded_words_with_a_wrong_charset_are_read() {
    let cases: [(&[u8], &str); 9] = [
        (b"=?us-ascii?Q?Gr=F6=DFe_der_Jacke?=", "Größe der Jacke"),
        (b"=?utf-8?Q?Gr=F6=DFe_der_Jacke?=", "Größe der Jacke"),
        (b"=?utf-8?Q?Gr=F6=DFe?= =?utf-8?Q?_der_Jacke?=", "Größe der Jacke"),
        (b"=?unknown-8bit?Q?Gr=F6=DFe_der_Jacke?=", "Größe der Jacke"),
        (b"=?iso-8859-1?Q?We=92ve_100_=80?=", "We\u{2019}ve 100 €"),
        (b"=?utf-8?B?98/Q0s/TIM8g2sHLwdrF?=", "Вопрос о заказе"),
        (b"=?us-ascii?B?GyRCJDRDbUo4GyhC?=", "ご注文"),
        (b"=?cp932?B?lVyHQA==?=", "表①"),
        (b"=?koi8-r?B?98/Q0s/T?= \xcf \xda\xc1\xcb\xc1\xda\xc5", "Вопрос о заказе"),
    ];
    for (raw, expected) in cases {
        assert_eq!(subject_of(raw), expected, "{}", String::from_utf8_lossy(raw));
    }
}

#[test]
fn html_that_declares_a_wrong_charset_is_read() {
    let html = encode("windows-1251", "<meta charset=utf-8><p>Когда придёт мой заказ?</p>");
    let html = parse(&body("text/html", &html)).html.unwrap_or_default();
    assert!(html.contains("<p>Когда придёт мой заказ?</p>"), "{html}");
}

#[test]
fn text_in_utf_16_is_known_by_its_first_bytes() {
    let little: Vec<u8> = "\u{feff}Größe".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "\u{feff}Größe".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(text_of(&body("text/plain", &little)), "Größe");
    assert_eq!(text_of(&body("text/plain; charset=utf-8", &big)), "Größe");
}

#[test]
fn file_names_with_a_wrong_charset_are_read() {
    let name = |header: &[u8]| {
        let raw = [
            b"From: ann@a.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n",
            header,
            b"\r\n\r\nfile\r\n--b--\r\n",
        ]
        .concat();
        parse(&raw).files.first().map(|file| file.name.clone()).unwrap_or_default()
    };
    let cases: [(&[u8], &str); 5] = [
        (b"Content-Type: application/pdf; name=\"Gr\xf6\xdfe.pdf\"", "Größe.pdf"),
        (b"Content-Disposition: attachment; filename=Gr\xf6\xdfe.pdf", "Größe.pdf"),
        (b"Content-Disposition: attachment;\r\n\tfilename=\"=?utf-8?Q?Gr=F6=DFe.pdf?=\"", "Größe.pdf"),
        (b"Content-Disposition: attachment; filename*=iso-8859-1''Gr%F6%DFe.pdf", "Größe.pdf"),
        (b"Content-Disposition: attachment; filename=\"Gr\xc3\xb6\xc3\x9fe.pdf\"", "Größe.pdf"),
    ];
    for (header, expected) in cases {
        assert_eq!(name(header), expected, "{}", String::from_utf8_lossy(header));
    }
}

#[test]
fn invitations_are_read_in_their_charset() {
    let event = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nSUMMARY:Größe und Anprobe für Jörg\r\n\
                 DTSTART:20261126T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    for charset in ["; charset=iso-8859-1", "; charset=windows-1252", "", "; charset=utf-8"] {
        let raw = body(&format!("text/calendar{charset}; method=REQUEST"), &encode("windows-1252", event));
        let text = text_of(&raw);
        assert!(text.contains("Größe und Anprobe für Jörg"), "{charset}: {text}");
    }
}
