//! Every operation comes back from the file as it went in.

use crate::model::outbox::content::{
    Attachment, Audience, BroadcastContent, ContactWish, Content, Degrees, FileToSend, Json, Mail, Markup,
    Media, MediaKind, Place, Source, Template, ThreadChange, ThreadPlace,
};
use crate::model::outbox::{Lane, Method, Operation, PreparedRequest};
use crate::store::Store;
use crate::store::outbox::NewRow;
use crate::store::tests::{at, channel};

fn template() -> Template {
    let components = Json(r#"[{"type":"body","parameters":[{"type":"text","text":"1041"}]}]"#.into());
    Template { name: "order_update".into(), language: "en_US".into(), components: Some(components) }
}

fn contents() -> Vec<Content> {
    let media = |kind| Media {
        kind,
        link: "https://files.example/a".into(),
        caption: Some("it's \"here\"\n".into()),
        filename: None,
        markup: Some(Markup::MarkdownV2),
        uploaded: kind == MediaKind::Video,
    };
    let mut contents: Vec<_> = MediaKind::ALL.map(|it| Content::Media(media(it))).into();
    contents.push(Content::Marked { text: "<b>hi</b>".into(), markup: Markup::Html });
    contents.push(Content::Template(template()));
    contents.push(Content::Interactive(Json(r#"{"type":"button"}"#.into())));
    contents.push(Content::Location(Place {
        latitude: Degrees(-335_000_001),
        longitude: Degrees(1_799_999_999),
        name: None,
        address: Some("Quay 4".into()),
    }));
    contents
}

fn mail() -> Mail {
    let attachment =
        |source| Attachment { filename: "bill.pdf".into(), content_type: "application/pdf".into(), source };
    Mail {
        to: vec!["maria@mail.example".into(), "o'brien@mail.example".into()],
        bcc: vec!["b@mail.example".into()],
        subject: "Your order".into(),
        text: Some("Hello".into()),
        headers: Some(Json(r#"{"X-A":"1"}"#.into())),
        thread: Some("t1".into()),
        attachments: vec![
            attachment(Source::Enclosed(7)),
            attachment(Source::Link("https://f.example".into())),
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
        Operation::SaveContact(Box::new(ContactWish {
            phone: phone(),
            tags: Some(vec!["vip".into()]),
            metadata: Some(Json(r#"{"a":1}"#.into())),
            ..ContactWish::default()
        })),
        Operation::ChangeTags { phone: "+34600111222".into(), add: vec!["a b".into()], remove: Vec::new() },
        Operation::DeleteContact { contact: "ct".into(), phone: phone() },
        Operation::AddWebhook { url: "https://h.example".into(), events: vec!["message.sent".into()] },
        Operation::RemoveWebhook { webhook: "wh".into(), url: "https://h.example".into() },
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

#[tokio::test]
async fn every_operation_comes_back_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let conversation = "c1".into();
    let request = PreparedRequest {
        method: Method::Delete,
        path: "/x".into(),
        content_type: Some("multipart/form-data; boundary=b".into()),
        body: vec![0, 159, 146, 150],
    };
    let mut queued = Vec::new();
    for operation in operations() {
        let lane = operation.lane(Some(&conversation)).unwrap();
        let row = NewRow {
            channel: channel(),
            lane,
            operation,
            request: request.clone(),
            hold_micros: 0,
            seen: None,
            planned_at: None,
        };
        queued.push(row);
    }
    let wanted: Vec<(Lane, Operation)> =
        queued.iter().map(|it| (it.lane.clone(), it.operation.clone())).collect();
    for (row, (lane, operation)) in queued.into_iter().zip(wanted) {
        // One at a time, so that no newer wish replaces an older one.
        let kept = store.enqueue(row, at(0)).unwrap();
        assert_eq!((&kept.lane, &kept.operation), (&lane, &operation));
        assert_eq!(store.request(&kept.id).await.unwrap().as_ref(), Some(&request));
        assert!(!kept.operation.summary().is_empty());
        store.recall(&kept.id).unwrap().unwrap();
    }
}
