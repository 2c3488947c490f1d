//! Uploads: bounds, stored data, serving and prices.

use serde_json::{Value, json};

use super::{Answer, Desk};
use crate::postgres::cluster;

const LIVE: &str = "whatsapp live";
const PNG: &[u8] = b"\x89PNG\r\n\x1A\n and then some";
const MIB: usize = 1024 * 1024;

/// A part of a body: name, file name, bytes.
type Part<'a> = (&'a str, Option<&'a str>, &'a [u8]);

fn multipart(boundary: &str, parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, filename, bytes) in parts {
        let filename = filename.map(|filename| format!("; filename=\"{filename}\"")).unwrap_or_default();
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{filename}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}

async fn post(desk: &Desk, key: &str, body: Vec<u8>, boundary: &str, idempotency: Option<&str>) -> Answer {
    let url = format!("{}/media", desk.running.base_url);
    let kind = format!("multipart/form-data; boundary={boundary}");
    let mut headers = vec![("content-type", kind.as_str())];
    headers.extend(idempotency.map(|idempotency| ("idempotency-key", idempotency)));
    desk.send(key, "POST", &url, &headers, body).await
}

async fn upload(desk: &Desk, filename: &str, bytes: &[u8]) -> Answer {
    post(desk, LIVE, multipart("b0", &[("file", Some(filename), bytes)]), "b0", None).await
}

/// Number of stored files.
fn stored_file_count(desk: &Desk) -> usize {
    if desk.place.file().is_none() {
        return cluster::column(&desk.place, "SELECT DISTINCT id FROM media_parts").len();
    }
    let mut folder = desk.database.clone().into_os_string();
    folder.push(".media");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[tokio::test]
async fn uploaded_file_is_served_at_its_address() {
    let desk = Desk::start().await;
    let made = upload(&desk, "my photo.png", PNG).await.good(200);
    let url = made["url"].as_str().expect("a URL").to_owned();
    assert_eq!(
        made,
        json!({"url": url, "mimeType": "image/png", "size": PNG.len(), "filename": "my photo.png"})
    );
    assert!(url.starts_with(&format!("{}/media/med_", desk.running.base_url)), "{url}");
    assert!(url.ends_with("/my_photo.png"), "{url}");
    for method in ["GET", "HEAD"] {
        let served = desk.send("", method, &url, &[], Vec::new()).await;
        let header = |name: &str| served.headers.get(name).map(String::as_str);
        assert_eq!(served.status, 200);
        assert_eq!(served.body, if method == "GET" { PNG } else { b"" });
        assert_eq!(header("content-type"), Some("image/png"));
        assert_eq!(header("content-length"), Some(PNG.len().to_string().as_str()));
        assert_eq!(header("x-content-type-options"), Some("nosniff"));
        assert_eq!(header("content-disposition"), Some("attachment; filename=\"my_photo.png\""));
    }
    for wrong in [
        url.replace("my_photo", "other"),
        url.replace("med_", "med_0"),
        format!("{}/media/x/y", desk.running.base_url),
        format!("{}/media/..%2F..%2Fservice.db/y", desk.running.base_url),
    ] {
        desk.send("", "GET", &wrong, &[], Vec::new()).await.refused(404, "NOT_FOUND");
    }
    desk.send("", "POST", &url, &[], Vec::new()).await.refused(405, "METHOD_NOT_ALLOWED");
    let elsewhere = format!("{}/media", desk.running.base_url);
    desk.send("", "POST", &elsewhere, &[], Vec::new()).await.refused(401, "INVALID_AUTH");
    // The medium survives a restart; unknown files are removed.
    let orphan = format!("{}.media/med_orphan", desk.database.display());
    if desk.place.file().is_some() {
        std::fs::write(&orphan, b"left behind").expect("written");
    }
    let desk = desk.restart().await;
    let (_, path) = url.split_once("/media/").expect("a path");
    let moved = format!("{}/media/{path}", desk.running.base_url);
    assert_eq!(desk.send("", "GET", &moved, &[], Vec::new()).await.body, PNG);
    assert_eq!(stored_file_count(&desk), 1);
}

#[tokio::test]
async fn the_largest_file_passes_and_a_byte_more_does_not() {
    let desk = Desk::start().await;
    let largest = vec![7_u8; 25 * MIB];
    let made = upload(&desk, "big.bin", &largest).await.good(200);
    assert_eq!((&made["size"], &made["mimeType"]), (&json!(25 * MIB), &json!("application/octet-stream")));
    let served = desk.send("", "GET", made["url"].as_str().expect("a URL"), &[], Vec::new()).await;
    assert!(served.body == largest, "all of it is served");
    for bytes in [25 * MIB + 1, 26 * MIB] {
        upload(&desk, "big.bin", &vec![7; bytes]).await.refused(413, "PAYLOAD_TOO_LARGE");
    }
    assert_eq!(stored_file_count(&desk), 1);
}

#[tokio::test]
async fn bodies_that_are_not_one_file_are_refused() {
    let desk = Desk::start().await;
    let file: Part<'_> = ("file", Some("a.txt"), b"hello");
    let other: Part<'_> = ("note", None, b"x");
    let long = format!("x\"\r\nX-Long: {}\r\nX-End: \"", "y".repeat(9000));
    let cases: [(Vec<u8>, &str); 8] = [
        (multipart("b0", &[other]), "the field file is required"),
        (multipart("b0", &[]), "the "),
        (multipart("b0", &[file, file]), "the field file must be present once"),
        (multipart("b0", &[file, other, other, other, other]), "the body must have at most 4 parts"),
        (multipart("b0", &[("file", Some("a"), b"")]), "the field file must not be empty"),
        (multipart("b0", &[("file", Some(&long), b"x")]), "a part's headers"),
        (multipart("b1", &[file]), "the "),
        (multipart("b0", &[file])[..60].to_vec(), "the body is not valid multipart/form-data"),
    ];
    for (body, words) in cases {
        let message = post(&desk, LIVE, body, "b0", None).await.refused(400, "VALIDATION_ERROR");
        assert!(message.starts_with(words), "{message}");
    }
    let message =
        desk.call(LIVE, "POST", "/media", json!({"file": "x"})).await.refused(400, "VALIDATION_ERROR");
    assert!(message.contains("multipart/form-data"), "{message}");
    assert_eq!(stored_file_count(&desk), 0);
    // Other fields beside the file are allowed, and a file without a name.
    let made = post(&desk, LIVE, multipart("b0", &[other, ("file", None, b"hello")]), "b0", None).await;
    assert_eq!(made.good(200)["filename"], "file");
}

#[tokio::test]
async fn parts_are_compared_not_boundaries() {
    let desk = Desk::start().await;
    let parts: [Part<'_>; 1] = [("file", Some("a.png"), PNG)];
    let first = post(&desk, LIVE, multipart("one", &parts), "one", Some("k")).await;
    let again = post(&desk, LIVE, multipart("two", &parts), "two", Some("k")).await;
    assert_eq!((first.status, &first.body), (200, &again.body));
    assert!(again.headers.contains_key("idempotent-replayed"));
    for part in [("file", Some("a.png"), b"other".as_slice()), ("file", Some("b.png"), PNG)] {
        let other = post(&desk, LIVE, multipart("one", &[part]), "one", Some("k")).await;
        other.refused(409, "IDEMPOTENCY_CONFLICT");
    }
    assert_eq!(stored_file_count(&desk), 1);
}

#[tokio::test]
async fn a_test_key_keeps_nothing() {
    let desk = Desk::start().await;
    let before = desk.dump();
    let body = multipart("b0", &[("file", Some("a.png"), PNG)]);
    let mock = post(&desk, "whatsapp test", body, "b0", None).await.good(200);
    assert_eq!(mock["test"], true);
    let url = mock["url"].as_str().expect("a URL");
    assert!(url.contains("/media/test_"), "{url}");
    desk.send("", "GET", url, &[], Vec::new()).await.refused(404, "NOT_FOUND");
    assert_eq!((desk.dump(), stored_file_count(&desk)), (before, 0));
}

#[tokio::test]
async fn uploaded_file_costs_more_to_send() {
    let desk = Desk::start().await;
    let customer = "+34600111222";
    desk.inbound("whatsapp", customer, "hi").await;
    let picture = upload(&desk, "a.png", PNG).await.good(200)["url"].clone();
    assert_eq!(desk.balance().await, 1000.0, "uploading is free");
    let send = |kind: &str| json!({"to": customer, "type": kind, kind: {"link": picture}});
    assert_eq!(desk.post(LIVE, "/messages/send", send("image")).await["creditsUsed"], 2.0);
    assert_eq!(desk.post(LIVE, "/messages/send", send("video")).await["creditsUsed"], 5.0);
    assert_eq!(desk.balance().await, 993.0);
    let own = json!({"to": customer, "type": "image", "image": {"link": format!("{}/media/med_0/x", desk.running.base_url)}});
    desk.call(LIVE, "POST", "/messages/send", own).await.refused(400, "MEDIA_FETCH_FAILED");
    desk.check_ledger();
    let listed: Value = desk.get(LIVE, "/messages?direction=outbound").await;
    assert_eq!(listed["data"][0]["mediaUrl"], picture);
}
