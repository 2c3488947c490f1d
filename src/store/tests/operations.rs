//! Every operation is read back as it was stored.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::Store;
use crate::lane::AttemptResult;
use crate::outbox::NewRow;
use crate::tests::{at, channel};
use model::attachments::{AttachmentSource, FileFacts, ReplyAttachment};
use model::contact_cards::ContactToSend;
use model::contacts::ContactChange;
use model::outbox::content::{
    Audience, BroadcastContent, ChatContent, ContactPatch, Degrees, FileToSend, FilledTemplate, Json,
    LinkedMedia, Mail, MailAttachment, MailAttachmentSource, MapLocation, Markup, MediaKind, PreviewedText,
    ThreadChange, ThreadPlace,
};
use model::outbox::{MAX_KEY_AGE, Operation, PreparedRequest, StopReason, StopVerdict, WriteMethod};
use model::queries::Draft;
use model::templates::{NewTemplate, NewTemplateCategory};
use model::text::SafeText;
use model::time::SECOND;
use sqlite::Queries;

fn template() -> FilledTemplate {
    let components = Json(r#"[{"type":"body","parameters":[{"type":"text","text":"1041"}]}]"#.into());
    FilledTemplate { name: "order_update".into(), language: "en_US".into(), components: Some(components) }
}

fn contents() -> Vec<ChatContent> {
    let media = |kind| LinkedMedia {
        kind,
        link: "https://files.example/a".into(),
        caption: Some("it's \"here\"\n".into()),
        filename: None,
        markup: Some(Markup::MarkdownV2),
        uploaded: kind == MediaKind::Video,
    };
    let mut contents: Vec<_> = MediaKind::ALL.map(|media_kind| ChatContent::Media(media(media_kind))).into();
    contents.push(ChatContent::Marked { text: "<b>hi</b>".into(), markup: Markup::Html });
    contents.push(ChatContent::Template(template()));
    contents.push(ChatContent::Interactive(Json(r#"{"type":"button"}"#.into())));
    contents.push(ChatContent::Location(MapLocation {
        latitude: Degrees(-335_000_001),
        longitude: Degrees(1_799_999_999),
        name: None,
        address: Some("Quay 4".into()),
    }));
    contents
}

fn mail() -> Mail {
    let attachment = |source| MailAttachment {
        filename: "bill.pdf".into(),
        content_type: "application/pdf".into(),
        source,
    };
    Mail {
        to: vec!["maria@mail.example".into(), "o'brien@mail.example".into()],
        bcc: vec!["b@mail.example".into()],
        subject: "Your order".into(),
        text: Some("Hello".into()),
        headers: Some(Json(r#"{"X-A":"1"}"#.into())),
        thread: Some("t1".into()),
        attachments: vec![
            attachment(MailAttachmentSource::Enclosed(7)),
            attachment(MailAttachmentSource::Link("https://f.example".into())),
        ],
        ..Mail::default()
    }
}

fn operations() -> Vec<Operation> {
    let mut all: Vec<_> = contents()
        .into_iter()
        .map(|content| Operation::SendContent { to: "48211".into(), content, reply_to: Some("m1".into()) })
        .collect();
    let phone = || "+34600111222".to_owned();
    let change = |place| ThreadChange { is_read: Some(true), place, ..ThreadChange::default() };
    let broadcast = |to, content| Operation::Broadcast { to, content };
    all.extend([
        Operation::SendText { to: phone(), text: "hi".into(), reply_to: None },
        Operation::React { message: "m1".into(), emoji: String::new() },
        Operation::SetAutomation { enabled: true },
        Operation::SetAutomation { enabled: false },
        Operation::Close,
        Operation::SendMail(Box::new(mail())),
        Operation::ChangeThread { thread: "t1".into(), change: change(Some(ThreadPlace::Archived(false))) },
        Operation::ChangeThread {
            thread: "t1".into(),
            change: change(Some(ThreadPlace::Folder("x".into()))),
        },
        Operation::ChangeThread { thread: "t1".into(), change: change(None) },
        Operation::SendSms { to: phone(), body: "hi".into(), via: None },
        Operation::Call { to: phone(), via: Some("ch_1".into()), context: Some(Json("{}".into())) },
        broadcast(Audience::Everyone, BroadcastContent::Text("hi".into())),
        broadcast(Audience::Contacts(vec!["a".into()]), BroadcastContent::Image("https://f.example".into())),
        broadcast(Audience::Everyone, BroadcastContent::Template(template())),
        Operation::SaveContact(Box::new(ContactPatch {
            phone: phone(),
            tags: Some(vec!["vip".into()]),
            metadata: Some(Json(r#"{"a":1}"#.into())),
            ..ContactPatch::default()
        })),
        Operation::ChangeTags { phone: "+34600111222".into(), add: vec!["a b".into()], remove: Vec::new() },
        Operation::ChangeContact(Box::new(ContactChange {
            phone: phone(),
            email: Some(String::new()),
            add: vec!["vip".into()],
            set: vec![("city".into(), Json("\"Vigo\"".into()))],
            unset: vec!["old".into()],
            ..ContactChange::default()
        })),
        Operation::DeleteContact { contact: "ct".into(), phone: phone() },
        Operation::AddWebhook { url: "https://h.example".into(), events: vec!["message.sent".into()] },
        Operation::RemoveWebhook { webhook: "wh".into(), url: "https://h.example".into() },
        Operation::SubmitTemplate(Box::new(NewTemplate::of_text(
            "order_late",
            "en",
            NewTemplateCategory::Utility,
            "\"Late\"",
        ))),
        Operation::SendFile(Box::new(FileToSend {
            to: "+34600111222".into(),
            path: "/home/ana/\"a\" b.png".into(),
            name: "a b.png".into(),
            mime_type: "image/png".into(),
            size: 3,
            kind: MediaKind::Image,
            caption: Some("here\n".into()),
            markup: Some(Markup::Html),
            reply_to: Some("m1".into()),
        })),
        Operation::Upload { filename: "a.png".into(), mime_type: "image/png".into(), size: u64::MAX / 2 },
    ]);
    all
}

fn request() -> PreparedRequest {
    PreparedRequest {
        method: WriteMethod::Delete,
        path: "/x".into(),
        content_type: Some("multipart/form-data; boundary=b".into()),
        body: vec![0, 159, 146, 150],
    }
}

fn row(operation: Operation) -> NewRow {
    let lane = operation.lane(Some(&"c1".into())).unwrap();
    let (channel, request) = (channel(), request());
    NewRow { channel, lane, operation, request, hold_micros: 0, seen: None, planned_at: None }
}

#[tokio::test]
async fn cards_and_previewed_texts_come_back_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let card = |company| ContactToSend { name: "Ana".into(), phone: "+34600111222".into(), company };
    let previewed = |markup| PreviewedText { text: "hi".into(), markup, preview: true };
    for content in [
        ChatContent::Contact(card(None)),
        ChatContent::Contact(card(Some("Harbor".into()))),
        ChatContent::Text(previewed(None)),
        ChatContent::Text(previewed(Some(Markup::MarkdownV2))),
    ] {
        let operation = Operation::SendContent { to: "48211".into(), content, reply_to: Some("m1".into()) };
        let kept = store.enqueue(row(operation.clone()), at(0)).unwrap();
        assert_eq!(store.lane_rows(&channel()).await.unwrap()[0].row.operation, operation);
        store.recall(&kept.id).unwrap().unwrap();
    }
}

#[tokio::test]
async fn every_operation_comes_back_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for operation in operations() {
        // One at a time, so that no row replaces an older one.
        let wanted = row(operation);
        let kept = store.enqueue(wanted.clone(), at(0)).unwrap();
        assert_eq!((&kept.lane, &kept.operation), (&wanted.lane, &wanted.operation));
        assert_eq!(store.request(&kept.id).await.unwrap().as_ref(), Some(&wanted.request));
        assert!(!kept.operation.summary().is_empty());
        store.recall(&kept.id).unwrap().unwrap();
    }
}

/// Two rows of each operation, with a fresh and with an expired key, stopped for each reason.
#[tokio::test]
async fn the_answer_offered_for_a_stopped_row_is_taken() {
    use StopReason::*;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    for stop in [Refused, Credits, Window, Auth, Unknown, Expired, ReplyConflict, Late, KeyUnproven, Upload] {
        for operation in operations() {
            for seconds in [9, 9 + MAX_KEY_AGE / SECOND] {
                let kept = store.enqueue(row(operation.clone()), at(0)).unwrap();
                let found = store.lane_rows(&channel()).await.unwrap();
                let found = found.into_iter().find(|lane_row| lane_row.row.id == kept.id).unwrap();
                let claimed = store.claim(&kept.id, found.fencing_token, at(1), "").await.unwrap().unwrap();
                let settled = store.settle(&claimed, AttemptResult::Stop(stop, SafeText::line("why"))).await;
                assert!(settled.unwrap());
                let spent = reader.outbox_question(&kept.id, at(seconds)).unwrap().unwrap().is_key_expired;
                for verdict in [StopVerdict::SameKey, StopVerdict::NewKey, StopVerdict::SendAnyway] {
                    if !stop.allows(&verdict, spent) {
                        let decided = store.decide(&kept.id, verdict.clone(), None, at(seconds)).unwrap();
                        assert_eq!(decided, None, "{stop:?} {operation:?} {verdict:?}");
                    }
                }
                let decided = store.decide(&kept.id, stop.retry_verdict(spent), None, at(seconds)).unwrap();
                let after = decided.and_then(|applied_decision| applied_decision.after);
                let after = after.unwrap_or_else(|| panic!("{stop:?} {operation:?} {seconds} {spent}"));
                assert!(
                    reader
                        .outbox_question(&kept.id, at(seconds))
                        .unwrap()
                        .is_none_or(|question| !question.entry.row.is_stopped())
                );
                store.recall(&after.id).unwrap();
            }
        }
    }
}

/// Payloads of [`operations`] as stored before tags existed.
fn untagged() -> Vec<Value> {
    let to = |content: Value| json!({"to": "48211", "content": content, "replyTo": "m1"});
    let media = |kind: &str| {
        to(json!({
            "kind": kind, "link": "https://files.example/a", "caption": "it's \"here\"\n", "filename": null,
            "markup": "MarkdownV2", "uploaded": kind == "video",
        }))
    };
    let template = json!({
        "kind": "template", "name": "order_update", "language": "en_US",
        "components": r#"[{"type":"body","parameters":[{"type":"text","text":"1041"}]}]"#,
    });
    let thread = |archived: Value, folder: Value| {
        json!({"thread": "t1", "change": {
            "isRead": true, "isStarred": null, "archived": archived, "folder": folder, "category": null,
            "priority": null,
        }})
    };
    let mut all: Vec<_> = ["image", "sticker", "audio", "voice", "video", "document"].map(media).into();
    all.extend([
        to(json!({"kind": "marked", "text": "<b>hi</b>", "markup": "HTML"})),
        to(template.clone()),
        to(json!({"kind": "interactive", "object": r#"{"type":"button"}"#})),
        to(json!({"kind": "location", "latitude": -335_000_001, "longitude": 1_799_999_999, "name": null,
            "address": "Quay 4"})),
        json!({"to": "+34600111222", "text": "hi", "replyTo": null}),
        json!({"message": "m1", "emoji": ""}),
        json!({}),
        json!({}),
        json!({}),
        json!({
            "to": ["maria@mail.example", "o'brien@mail.example"], "cc": [], "bcc": ["b@mail.example"],
            "subject": "Your order", "text": "Hello", "html": null, "from": null, "replyTo": null,
            "headers": r#"{"X-A":"1"}"#, "inReplyTo": null, "thread": "t1", "attachments": [
                {"filename": "bill.pdf", "contentType": "application/pdf", "link": null, "size": 7},
                {"filename": "bill.pdf", "contentType": "application/pdf", "link": "https://f.example",
                    "size": null},
            ],
        }),
        thread(false.into(), Value::Null),
        thread(Value::Null, "x".into()),
        thread(Value::Null, Value::Null),
        json!({"to": "+34600111222", "body": "hi", "via": null}),
        json!({"to": "+34600111222", "via": "ch_1", "context": "{}"}),
        json!({"to": null, "content": {"kind": "text", "text": "hi"}}),
        json!({"to": ["a"], "content": {"kind": "image", "link": "https://f.example"}}),
        json!({"to": null, "content": template}),
        json!({"phone": "+34600111222", "name": null, "email": null, "tags": ["vip"],
            "metadata": r#"{"a":1}"#}),
        json!({"phone": "+34600111222", "add": ["a b"], "remove": []}),
        json!({"phone": "+34600111222", "name": null, "email": "", "add": ["vip"], "remove": [],
            "set": [["city", "\"Vigo\""]], "unset": ["old"]}),
        json!({"contact": "ct", "phone": "+34600111222"}),
        json!({"url": "https://h.example", "events": ["message.sent"]}),
        json!({"webhook": "wh", "url": "https://h.example"}),
        json!({"to": "+34600111222", "path": "/home/ana/\"a\" b.png", "name": "a b.png",
            "mimeType": "image/png", "size": 3, "kind": "image", "caption": "here\n", "markup": "HTML",
            "replyTo": "m1"}),
        json!({"filename": "a.png", "mimeType": "image/png", "size": u64::MAX / 2}),
    ]);
    all
}

#[tokio::test]
async fn rows_of_a_file_from_before_payloads_had_tags_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let file = Connection::open(folder.path().join("outbox.db")).unwrap();
    // Later operations were always tagged.
    let is_old = |operation: &Operation| !matches!(operation, Operation::SubmitTemplate(_));
    let operations: Vec<_> = operations().into_iter().filter(is_old).collect();
    let payloads = untagged();
    assert_eq!(operations.len(), payloads.len());
    for (operation, payload) in operations.into_iter().zip(payloads) {
        let kept = store.enqueue(row(operation.clone()), at(0)).unwrap();
        let tagged: Value =
            serde_json::from_str(&file.scalar::<String>("SELECT payload FROM outbox", []).unwrap()).unwrap();
        assert!(tagged["type"].is_string(), "{tagged}");
        file.execute("UPDATE outbox SET payload = ?1", [payload.to_string()]).unwrap();
        let rows = store.lane_rows(&channel()).await.unwrap();
        assert_eq!(rows[0].row.operation, operation, "{payload}");
        store.recall(&kept.id).unwrap().unwrap();
    }
}

#[tokio::test]
async fn drafts_of_a_file_from_before_payloads_had_tags_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (file, reader) =
        (Connection::open(folder.path().join("outbox.db")).unwrap(), store.reader().unwrap());
    let facts = FileFacts {
        path: "/home/ana/a.png".into(),
        name: "a.png".into(),
        mime_type: "image/png".into(),
        size: 7,
        webp: None,
    };
    for (payload, source) in [
        (
            r#"{"kind":"image","path":"/home/ana/a.png","name":"a.png","mimeType":"image/png","size":7}"#,
            AttachmentSource::File(facts),
        ),
        (
            r#"{"kind":"image","link":"https://f.example"}"#,
            AttachmentSource::Link("https://f.example".into()),
        ),
        (
            r#"{"kind":"image","uploaded":"https://u.example"}"#,
            AttachmentSource::Uploaded("https://u.example".into()),
        ),
    ] {
        let attachments = vec![ReplyAttachment { source, kind: MediaKind::Image }];
        let draft = Draft { text: "look".into(), attachments, ..Draft::default() };
        store.save_draft(&channel(), &"c1".into(), Some(draft.clone())).unwrap();
        assert_eq!(reader.draft(&channel(), &"c1".into()).unwrap(), Some(draft.clone()));
        assert_eq!(file.execute("UPDATE draft SET attachment = ?1", [payload]).unwrap(), 1);
        assert_eq!(reader.draft(&channel(), &"c1".into()).unwrap(), Some(draft), "{payload}");
    }
}
