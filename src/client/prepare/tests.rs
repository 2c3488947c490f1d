//! Exact request bytes of every operation, and refusals before sending.

use crate::prepare::{Attachments, PrepareError, prepare, prepare_with};
use model::account::Platform;
use model::contact_cards::ContactToSend;
use model::ids::MessageId;
use model::interactive::{InteractiveFrame, build_buttons, build_list};
use model::outbox::content::{
    Audience, BroadcastContent, ChatContent, ContactPatch, Degrees, FilledTemplate, Json, LinkedMedia, Mail,
    MailAttachment, MailAttachmentSource, MapLocation, Markup, MediaKind, PreviewedText, ThreadChange,
    ThreadPlace,
};
use model::outbox::{Lane, Operation};
use model::secret::Secret;

fn send(to: &str, text: &str) -> Operation {
    Operation::SendText { to: to.into(), text: text.into(), reply_to: None }
}

fn prepared(platform: &Platform, operation: &Operation) -> Result<(String, String), PrepareError> {
    let request = prepare(platform, &Lane::Conversation("c/1".into()), operation)?;
    let body = String::from_utf8(request.body).expect("text");
    Ok((format!("{} {}", request.method.word(), request.path), body))
}

#[test]
fn exact_bytes() {
    let quoting = Operation::SendText {
        to: "+34600111222".into(),
        text: "a < b".into(),
        reply_to: Some(MessageId::from("m1")),
    };
    let react = Operation::React { message: MessageId::from("m1"), emoji: String::new() };
    let whatsapp = Platform::Whatsapp;
    let telegram = Platform::Telegram;
    let cases = [
        (
            &whatsapp,
            &quoting,
            "POST /messages/send",
            r#"{"to":"+34600111222","type":"text","text":{"body":"a < b"},"replyTo":"m1"}"#,
        ),
        (
            &telegram,
            &send("48211", "a < b & c"),
            "POST /telegram/send",
            r#"{"chatId":"48211","type":"text","text":"a &lt; b &amp; c"}"#,
        ),
        (&whatsapp, &react, "POST /messages/m1/react", r#"{"emoji":""}"#),
        (&telegram, &react, "POST /telegram/messages/m1/react", r#"{"emoji":""}"#),
        (
            &whatsapp,
            &Operation::SetAutomation { enabled: false },
            "PATCH /conversations/c%2F1",
            r#"{"automationEnabled":false}"#,
        ),
        (
            &telegram,
            &Operation::SetAutomation { enabled: false },
            "PUT /desk/v1/conversations/c%2F1/automation",
            r#"{"enabled":false}"#,
        ),
        (&whatsapp, &Operation::Close, "POST /conversations/c%2F1/close", ""),
    ];
    for (platform, operation, path, body) in cases {
        let wanted = (path.to_owned(), body.to_owned());
        assert_eq!(prepared(platform, operation), Ok(wanted), "{operation:?}");
    }
}

#[test]
fn what_is_certain_to_be_refused() {
    let whatsapp = Platform::Whatsapp;
    let telegram = Platform::Telegram;
    let phone = "+34600111222";
    assert_eq!(prepared(&whatsapp, &send(phone, " \n")), Err(PrepareError::Empty("the text")));
    assert_eq!(prepared(&whatsapp, &send("", "hi")), Err(PrepareError::NoAddress));
    assert_eq!(prepared(&whatsapp, &send("600", "hi")), Err(PrepareError::NotAPhone("600".into())));
    assert!(prepared(&whatsapp, &send(phone, &"é".repeat(4096))).is_ok());
    assert_eq!(
        prepared(&whatsapp, &send(phone, &"é".repeat(4097))),
        Err(PrepareError::TooLong { what: "the text", length: 4097, most: 4096 })
    );
    assert!(prepared(&whatsapp, &send(phone, &"<".repeat(4096))).is_ok());
    assert_eq!(
        prepared(&telegram, &send("1", &"<".repeat(1025))),
        Err(PrepareError::TooLong { what: "the text", length: 4100, most: 4096 })
    );
    let pause = Operation::SetAutomation { enabled: false };
    let error = prepared(&Platform::Email, &pause).expect_err("refused");
    assert_eq!(error.to_string(), "email cannot pause the AI");
    assert!(prepared(&telegram, &Operation::Close).is_err());
    assert!(prepared(&Platform::Email, &send("a@b.example", "hi")).is_err());
}

const PHONE: &str = "+34600111222";

fn content(content: ChatContent) -> Operation {
    Operation::SendContent { to: PHONE.into(), content, reply_to: Some("m1".into()) }
}

fn media(kind: MediaKind) -> LinkedMedia {
    let link = "https://f.example/a".to_owned();
    LinkedMedia { kind, link, caption: None, filename: None, markup: None, uploaded: false }
}

fn template() -> FilledTemplate {
    let components = Some(Json(r#" [{"type":"body"}] "#.into()));
    FilledTemplate { name: "order".into(), language: "en_US".into(), components }
}

#[test]
fn exact_bytes_of_chat_contents() {
    let caption = |kind| ChatContent::Media(LinkedMedia { caption: Some("a < b".into()), ..media(kind) });
    let place = MapLocation {
        latitude: Degrees(415_000_001),
        longitude: Degrees(-20_000_000),
        name: None,
        address: Some("Quay 4".into()),
    };
    let marked = ChatContent::Marked { text: "*hi*".into(), markup: Markup::MarkdownV2 };
    let marked_caption = LinkedMedia {
        caption: Some("<b>x</b>".into()),
        filename: Some("a.png".into()),
        markup: Some(Markup::Html),
        ..media(MediaKind::Image)
    };
    let named = LinkedMedia { filename: Some("bill.pdf".into()), ..media(MediaKind::Document) };
    let (whatsapp, telegram) = (Platform::Whatsapp, Platform::Telegram);
    let cases = [
        (
            &whatsapp,
            caption(MediaKind::Image),
            r#""type":"image","image":{"link":"https://f.example/a","caption":"a < b"},"replyTo":"m1"}"#,
        ),
        (
            &whatsapp,
            ChatContent::Media(media(MediaKind::Audio)),
            r#""type":"audio","audio":{"link":"https://f.example/a"},"replyTo":"m1"}"#,
        ),
        (
            &whatsapp,
            ChatContent::Media(media(MediaKind::Video)),
            r#""type":"video","video":{"link":"https://f.example/a"},"replyTo":"m1"}"#,
        ),
        (
            &whatsapp,
            ChatContent::Media(named),
            r#""type":"document","document":{"link":"https://f.example/a","filename":"bill.pdf"},"replyTo":"m1"}"#,
        ),
        (
            &whatsapp,
            ChatContent::Template(template()),
            r#""type":"template","template":{"name":"order","language":{"code":"en_US"},"components":[{"type":"body"}]}}"#,
        ),
        (
            &whatsapp,
            ChatContent::Interactive(Json(r#"{"type":"button","z":1,"a":2}"#.into())),
            r#""type":"interactive","interactive":{"type":"button","z":1,"a":2},"replyTo":"m1"}"#,
        ),
        (
            &whatsapp,
            ChatContent::Location(place),
            r#""type":"location","location":{"latitude":41.5000001,"longitude":-2.0,"address":"Quay 4"},"replyTo":"m1"}"#,
        ),
        (&telegram, marked, r#""type":"text","text":"*hi*","parseMode":"MarkdownV2","replyTo":"m1"}"#),
        (
            &telegram,
            caption(MediaKind::Audio),
            r#""type":"audio","url":"https://f.example/a","caption":"a &lt; b","replyTo":"m1"}"#,
        ),
        (
            &telegram,
            ChatContent::Media(marked_caption),
            r#""type":"photo","url":"https://f.example/a","caption":"<b>x</b>","filename":"a.png","parseMode":"HTML","replyTo":"m1"}"#,
        ),
    ];
    check_bytes(&cases);
}

/// Checks the part of each request behind the address of [`content`].
#[track_caller]
fn check_bytes(cases: &[(&Platform, ChatContent, &str)]) {
    for (platform, said, rest) in cases {
        let (path, to) = match platform {
            Platform::Telegram => ("POST /telegram/send", "chatId"),
            _ => ("POST /messages/send", "to"),
        };
        let wanted = (path.to_owned(), format!(r#"{{"{to}":"{PHONE}",{rest}"#));
        assert_eq!(prepared(platform, &content(said.clone())), Ok(wanted), "{said:?}");
    }
}

#[test]
fn exact_bytes_of_stickers_cards_and_previewed_texts() {
    let company = Some("Bells & Co".to_owned());
    let card = ContactToSend { name: "Ana".into(), phone: PHONE.into(), company };
    let previewed =
        |markup, preview| ChatContent::Text(PreviewedText { text: "a < b".into(), markup, preview });
    let (whatsapp, telegram) = (Platform::Whatsapp, Platform::Telegram);
    check_bytes(&[
        (
            &whatsapp,
            ChatContent::Media(media(MediaKind::Sticker)),
            r#""type":"image","image":{"link":"https://f.example/a","sticker":true},"replyTo":"m1"}"#,
        ),
        (
            &telegram,
            ChatContent::Media(media(MediaKind::Sticker)),
            r#""type":"photo","url":"https://f.example/a","replyTo":"m1","sticker":true}"#,
        ),
        (
            &whatsapp,
            ChatContent::Contact(card.clone()),
            r#""type":"text","text":{"body":"Ana · Bells & Co · +34600111222","contact":{"name":"Ana","phone":"+34600111222","company":"Bells & Co"}},"replyTo":"m1"}"#,
        ),
        (
            &telegram,
            ChatContent::Contact(card),
            r#""type":"text","text":"Ana · Bells &amp; Co · +34600111222","replyTo":"m1","contact":{"name":"Ana","phone":"+34600111222","company":"Bells & Co"}}"#,
        ),
        (
            &whatsapp,
            previewed(None, true),
            r#""type":"text","text":{"body":"a < b","linkPreview":true},"replyTo":"m1"}"#,
        ),
        (
            &telegram,
            previewed(None, false),
            r#""type":"text","text":"a &lt; b","replyTo":"m1","linkPreview":false}"#,
        ),
        (
            &telegram,
            previewed(Some(Markup::Html), true),
            r#""type":"text","text":"a < b","parseMode":"HTML","replyTo":"m1","linkPreview":true}"#,
        ),
    ]);
}

#[test]
fn exact_bytes_of_everything_else() {
    let (whatsapp, email, voip) = (Platform::Whatsapp, Platform::Email, Platform::Voip);
    let change = |place| ThreadChange { is_read: Some(true), place, ..ThreadChange::default() };
    let wish = ContactPatch {
        phone: PHONE.into(),
        name: Some("Maria".into()),
        tags: Some(vec!["vip".into()]),
        metadata: Some(Json(r#"{"b":1}"#.into())),
        ..ContactPatch::default()
    };
    let hook =
        Operation::AddWebhook { url: "https://h.example/x".into(), events: vec!["message.sent".into()] };
    let unhook = Operation::RemoveWebhook { webhook: "w/1".into(), url: String::new() };
    let file = |place| Operation::ChangeThread { thread: "t 1".into(), change: change(place) };
    let sms = Operation::SendSms { to: PHONE.into(), body: "hi".into(), via: None };
    let call = Operation::Call { to: PHONE.into(), via: Some("ch".into()), context: Some(Json("{}".into())) };
    let broadcast = |to, content| Operation::Broadcast { to, content };
    let some = Audience::Contacts(vec!["a".into(), "b".into()]);
    let cases = [
        (
            &email,
            file(Some(ThreadPlace::Archived(true))),
            "PATCH /email/threads/t%201",
            r#"{"isRead":true,"archived":true}"#,
        ),
        (
            &email,
            file(Some(ThreadPlace::Folder("x".into()))),
            "PATCH /email/threads/t%201",
            r#"{"isRead":true,"folder":"x"}"#,
        ),
        (&voip, sms, "POST /voip/sms", r#"{"to":"+34600111222","body":"hi"}"#),
        (&voip, call, "POST /voip/calls", r#"{"to":"+34600111222","channelId":"ch","metadata":{}}"#),
        (
            &whatsapp,
            broadcast(Audience::Everyone, BroadcastContent::Text("hi".into())),
            "POST /broadcast",
            r#"{"message":{"type":"text","text":{"body":"hi"}}}"#,
        ),
        (
            &whatsapp,
            broadcast(some, BroadcastContent::Image("https://f.example/a".into())),
            "POST /broadcast",
            r#"{"contactIds":["a","b"],"message":{"type":"image","image":{"link":"https://f.example/a"}}}"#,
        ),
        (
            &whatsapp,
            Operation::SaveContact(Box::new(wish)),
            "POST /contacts",
            r#"{"phone":"+34600111222","name":"Maria","tags":["vip"],"metadata":{"b":1}}"#,
        ),
        (
            &whatsapp,
            Operation::DeleteContact { contact: "c/1".into(), phone: PHONE.into() },
            "DELETE /contacts/c%2F1",
            "",
        ),
        (
            &whatsapp,
            hook.clone(),
            "POST /webhooks",
            r#"{"url":"https://h.example/x","events":["message.sent"]}"#,
        ),
        (&email, hook, "POST /email/webhooks", r#"{"url":"https://h.example/x","events":["message.sent"]}"#),
        (&whatsapp, unhook.clone(), "DELETE /webhooks/w%2F1", ""),
        (&email, unhook, "DELETE /email/webhooks/w%2F1", ""),
    ];
    for (platform, operation, path, body) in cases {
        let wanted = (path.to_owned(), body.to_owned());
        assert_eq!(prepared(platform, &operation), Ok(wanted), "{operation:?}");
    }
}

fn mail() -> Mail {
    Mail {
        to: vec!["maria@mail.example".into()],
        subject: "Order".into(),
        text: Some("hi".into()),
        ..Mail::default()
    }
}

fn enclosing(operation: &Operation, files: &[&[u8]]) -> Result<(String, Vec<u8>), PrepareError> {
    let secret = Secret::new("s3cret");
    let enclosed = Attachments { files, secret: Some(&secret) };
    let platform =
        if matches!(operation, Operation::SendMail(_)) { Platform::Email } else { Platform::Whatsapp };
    let request = prepare_with(&platform, &Lane::Media, operation, enclosed)?;
    Ok((request.content_type.unwrap_or_default(), request.body))
}

#[test]
fn a_mail_with_all_it_can_have() {
    let attachment = |filename: &str, source| MailAttachment {
        filename: filename.into(),
        content_type: "text/plain".into(),
        source,
    };
    let whole = Mail {
        cc: vec!["c@mail.example".into()],
        html: Some("<p>hi</p>".into()),
        headers: Some(Json(r#"{"X-A":"1"}"#.into())),
        in_reply_to: Some("<1@x>".into()),
        thread: Some("t1".into()),
        attachments: vec![
            attachment("a.txt", MailAttachmentSource::Enclosed(2)),
            attachment("b.txt", MailAttachmentSource::Link("https://f.example/b".into())),
        ],
        ..mail()
    };
    let operation = Operation::SendMail(Box::new(whole));
    let (_, body) = enclosing(&operation, &[b"hi"]).expect("can be sent");
    assert_eq!(
        String::from_utf8(body).expect("text"),
        concat!(
            r#"{"to":["maria@mail.example"],"cc":["c@mail.example"],"subject":"Order","text":"hi","#,
            r#""html":"<p>hi</p>","headers":{"X-A":"1"},"inReplyTo":"<1@x>","threadId":"t1","attachments":["#,
            r#"{"filename":"a.txt","contentType":"text/plain","content":"aGk="},"#,
            r#"{"filename":"b.txt","contentType":"text/plain","url":"https://f.example/b"}]}"#
        )
    );
    for files in [&[][..], &[&b"hi!"[..]], &[&b"hi"[..], b"hi"]] {
        assert_eq!(enclosing(&operation, files), Err(PrepareError::NoFiles));
    }
}

#[test]
fn choices_on_bot_chat_are_rows_of_buttons() {
    let frame =
        InteractiveFrame { header: String::new(), body: "Which & why?".into(), footer: "Harbor".into() };
    let list = build_list(&frame, "Choose", &[("Brass", "loud"), ("Steel", "")]);
    let cases = [
        (build_buttons(&frame, &["Yes"]), r#"\n\nHarbor","buttons":[[{"text":"Yes","data":"1"}]]}"#),
        (
            list,
            concat!(
                r#"\n\nBrass: loud\n\nHarbor","#,
                r#""buttons":[[{"text":"Brass","data":"1"}],[{"text":"Steel","data":"2"}]]}"#
            ),
        ),
    ];
    for (object, end) in cases {
        let content = ChatContent::Interactive(object);
        let operation = Operation::SendContent { to: "77".into(), content, reply_to: None };
        let (_, body) = prepared(&Platform::Telegram, &operation).expect("can be sent");
        let begin = r#"{"chatId":"77","type":"text","text":"Which &amp; why?"#;
        assert!(body.starts_with(begin) && body.ends_with(end), "{body}");
    }
}

#[test]
fn internationalised_domains_leave_in_ascii() {
    let whole = Mail { to: vec!["kim@bücher.example".into()], ..mail() };
    let (_, body) = enclosing(&Operation::SendMail(Box::new(whole)), &[]).expect("can be sent");
    let body = String::from_utf8(body).expect("text");
    assert!(body.starts_with(r#"{"to":["kim@xn--bcher-kva.example"]"#), "{body}");
    for wrong in ["jörg@buch.example", "kim@bü cher.example", "kim@①②⑦.0.0.1"] {
        let whole = Mail { to: vec![wrong.into()], ..mail() };
        let refused = enclosing(&Operation::SendMail(Box::new(whole)), &[]);
        assert_eq!(refused, Err(PrepareError::NotAMailAddress(wrong.into())));
    }
}

#[test]
fn an_upload_is_pinned_with_its_boundary() {
    let upload = |filename: &str, mime_type: &str, size| Operation::Upload {
        filename: filename.into(),
        mime_type: mime_type.into(),
        size,
    };
    let (kind, body) = enclosing(&upload("a\"\r\nb.png", "image/png", 3), &[b"\x00\xff!"]).expect("made");
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22%0D%0Ab.png\"\r\n\
         Content-Type: image/png\r\n\r\n"
    );
    let whole = [head.as_bytes(), b"\x00\xff!", format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
    assert_eq!(body, whole);
    let again = enclosing(&upload("a", "x\r\ny: z", 3), &[b"\x00\xff!"]).expect("made");
    assert_eq!(again.0, kind, "the same file makes the same request");
    assert!(String::from_utf8_lossy(&again.1).contains("Content-Type: application/octet-stream\r\n\r\n"));
    // A file that contains a request of this client must not be cut at its boundary.
    let size = u64::try_from(body.len()).expect("a size");
    let (kind, outer) = enclosing(&upload("a", "a/b", size), &[&body]).expect("made");
    let outer_boundary = kind.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    assert!(!body.windows(outer_boundary.len()).any(|window| window == outer_boundary.as_bytes()));
    assert!(outer.len() > body.len());
    assert_eq!(enclosing(&upload("a", "a/b", 3), &[]), Err(PrepareError::NoFiles));
    assert_eq!(enclosing(&upload("a", "a/b", 4), &[b"abc"]), Err(PrepareError::NoFiles));
    assert_eq!(enclosing(&upload("a", "a/b", 0), &[b""]), Err(PrepareError::Empty("the file")));
    let large = vec![0; 25 * 1024 * 1024 + 1];
    let refused = enclosing(&upload("a", "a/b", 25 * 1024 * 1024 + 1), &[&large]);
    assert!(matches!(refused, Err(PrepareError::TooMany { .. })));
}

#[test]
fn a_secret_is_in_the_bytes_only() {
    let operation = Operation::AddWebhook { url: "https://h.example".into(), events: Vec::new() };
    let (_, body) = enclosing(&operation, &[]).expect("made");
    assert_eq!(body, br#"{"url":"https://h.example","secret":"s3cret"}"#);
    assert!(!format!("{operation:?}").contains("s3cret"));
}

#[test]
fn what_the_other_operations_certainly_refuse() {
    use PrepareError::{Empty, NoConversation, NotALink, NotAMailAddress, NotAPhone, NotOnThisChannel};
    type Is = fn(&PrepareError) -> bool;
    let (whatsapp, telegram, email) = (Platform::Whatsapp, Platform::Telegram, Platform::Email);
    let captioned = LinkedMedia { caption: Some("x".into()), ..media(MediaKind::Audio) };
    let named = LinkedMedia { filename: Some("x".into()), ..media(MediaKind::Image) };
    let long = LinkedMedia { caption: Some("x".repeat(1025)), ..media(MediaKind::Image) };
    let linked =
        |link: &str| ChatContent::Media(LinkedMedia { link: link.into(), ..media(MediaKind::Image) });
    let marked = ChatContent::Marked { text: "x".into(), markup: Markup::Html };
    let previewed = PreviewedText { text: "x".into(), markup: Some(Markup::Html), preview: true };
    let previewed = ChatContent::Text(previewed);
    let sticker = LinkedMedia { caption: Some("x".into()), ..media(MediaKind::Sticker) };
    let sticker = ChatContent::Media(sticker);
    let card = |name: &str, phone: &str| {
        ChatContent::Contact(ContactToSend { name: name.into(), phone: phone.into(), company: None })
    };
    let broken = FilledTemplate { components: Some(Json("{}".into())), ..template() };
    let nobody = Operation::Broadcast {
        to: Audience::Contacts(Vec::new()),
        content: BroadcastContent::Text("hi".into()),
    };
    let to = |to: &str| Operation::SendMail(Box::new(Mail { to: vec![to.into()], ..mail() }));
    let sms = |body: &str| Operation::SendSms { to: PHONE.into(), body: body.into(), via: None };
    let call = Operation::Call { to: "600".into(), via: None, context: None };
    let thread = Operation::ChangeThread { thread: "t".into(), change: ThreadChange::default() };
    let not_here: Is = |error| matches!(error, NotOnThisChannel { .. });
    let not_json: Is = |error| matches!(error, PrepareError::NotJson { .. });
    let too_long: Is = |error| matches!(error, PrepareError::TooLong { .. });
    let cases: Vec<(&Platform, Operation, Is)> = vec![
        (&whatsapp, content(ChatContent::Media(captioned)), not_here),
        (&whatsapp, content(ChatContent::Media(named)), not_here),
        (&whatsapp, content(sticker.clone()), not_here),
        (&telegram, content(sticker), not_here),
        (&whatsapp, content(card("Ana", "600111222")), |error| matches!(error, NotAPhone(_))),
        (&telegram, content(card(" ", PHONE)), |error| matches!(error, Empty(_))),
        (&telegram, content(card(&"a".repeat(101), PHONE)), too_long),
        (&email, content(card("Ana", PHONE)), not_here),
        (&whatsapp, content(previewed), not_here),
        (&whatsapp, content(ChatContent::Media(long)), too_long),
        (&whatsapp, content(marked), not_here),
        (&whatsapp, content(linked("ftp://x")), |error| matches!(error, NotALink(_))),
        (&whatsapp, content(linked("https://a b")), |error| matches!(error, NotALink(_))),
        (&whatsapp, content(ChatContent::Template(broken)), not_json),
        (&whatsapp, content(ChatContent::Interactive(Json("{".into()))), not_json),
        (&whatsapp, content(ChatContent::Interactive(Json("[]".into()))), not_json),
        (&telegram, content(ChatContent::Interactive(Json(r#"{"type":"flow"}"#.into()))), not_here),
        (&telegram, content(ChatContent::Template(template())), not_here),
        (&email, content(ChatContent::Template(template())), not_here),
        (&whatsapp, nobody, |error| matches!(error, Empty(_))),
        (&whatsapp, to("maria@mail.example"), not_here),
        (&email, to("maria"), |error| matches!(error, NotAMailAddress(_))),
        (&email, thread, |error| matches!(error, Empty(_))),
        (&Platform::Voip, sms(" "), |error| matches!(error, Empty(_))),
        (&Platform::Voip, sms(&"x".repeat(1601)), too_long),
        (&Platform::Voip, call, |error| matches!(error, NotAPhone(_))),
    ];
    for (platform, operation, is) in cases {
        let error = prepared(platform, &operation).expect_err("refused");
        assert!(is(&error), "{operation:?}: {error:?}");
    }
    let error = prepare(&whatsapp, &Lane::Media, &Operation::Close).expect_err("refused");
    assert_eq!(error, NoConversation);
}
