//! The endpoints of `--dev`, and the ready file.

use super::*;

#[tokio::test]
async fn a_customer_writes_on_each_chat_channel() {
    let world = World::new().await;
    let told = json!({"channel": "telegram", "from": 77, "name": "Bo", "username": "bo", "text": "hi"});
    world.dev("/inbound", told).await.ok();
    let chats = world.call("GET", "/telegram/conversations").key(world.live("telegram")).send().await.ok();
    assert_eq!(chats["data"][0]["customerName"], "Bo");
    assert_eq!(chats["data"][0]["telegramUsername"], "bo");
    assert_eq!(chats["data"][0]["telegramChatId"], "77");
    let media = json!({"channel": "whatsapp", "from": ANA, "mediaUrl": "https://x.example/a.jpg"});
    let id = world.dev("/inbound", media).await.ok()["messageId"].clone();
    let read = world.get(&format!("/messages/{}", id.as_str().expect("an id"))).await.ok();
    assert_eq!(
        (&read["contentType"], &read["mediaUrl"]),
        (&json!("image"), &json!("https://x.example/a.jpg"))
    );
    for body in [
        json!({}),
        json!({"channel": "fax", "from": ANA, "text": "x"}),
        json!({"channel": "whatsapp", "from": "77", "text": "x"}),
        json!({"channel": "whatsapp", "from": ANA}),
        json!({"channel": "whatsapp", "from": ANA, "text": "x", "referral": "ad"}),
    ] {
        world.dev("/inbound", body).await.refused(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn the_clock_moves_everything_and_is_kept() {
    let world = World::new().await;
    let told = world.dev("/clock", json!({"advance_seconds": 0.5})).await;
    assert_eq!(told.header("date"), Some("Fri, 20 Nov 2026 10:00:00 GMT"));
    assert_eq!(told.ok()["now"], "2026-11-20T10:00:00.500Z");
    world.advance(3600).await;
    let answer = world.get("/account").await;
    assert_eq!(answer.header("date"), Some("Fri, 20 Nov 2026 11:00:00 GMT"));
    for body in [json!({}), json!({"advance_seconds": -1}), json!({"advance_seconds": "1"})] {
        world.dev("/clock", body).await.refused(400, "VALIDATION_ERROR");
    }
    let world = world.restarted(|options| options.unlimited = true).await;
    assert_eq!(world.get("/account").await.header("date"), Some("Fri, 20 Nov 2026 11:00:00 GMT"));
}

#[tokio::test]
async fn credits_and_what_went_out() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    for balance in [5, 0, 1_000_000] {
        assert_eq!(world.dev("/credits", json!({"balance": balance})).await.ok()["balance"], balance);
        assert_eq!(world.balance().await, balance);
    }
    for body in [json!({}), json!({"balance": -1}), json!({"balance": 1.5}), json!({"balance": "9"})] {
        world.dev("/credits", body).await.refused(400, "VALIDATION_ERROR");
    }
    for number in 0..3 {
        world.text(&format!("k{number}"), &format!("t{number}")).send().await.ok();
    }
    let listed = world.dev("/outbound", json!({})).await.ok();
    let items = listed["data"].as_array().expect("a list");
    for (number, item) in items.iter().enumerate() {
        assert_eq!(item["to"], ANA);
        assert_eq!(item["channel"], "whatsapp");
        assert_eq!(item["content"], format!("t{number}"));
        assert_eq!(item["idempotencyKey"], format!("k{number}"));
        assert_eq!(item["at"].as_str().map(str::len), Some(24));
    }
    assert_eq!(items.len(), 3);
}

#[tokio::test]
async fn the_switches_are_outside_the_limits_and_not_for_pages() {
    let world = World::with(|_| ()).await;
    for _ in 0..50 {
        world.dev("/outbound", json!({})).await.ok();
    }
    world.get("/account").await.ok();
    let request =
        world.http.post(format!("{}/credits", world.dev_url)).header("origin", "http://evil.example");
    let page = Call { http: world.http.clone(), request, key: None };
    page.json(&json!({"balance": 0})).send().await.refused(403, "FORBIDDEN");
    let request = world.http.post(format!("{}/credits", world.dev_url));
    let form = Call { http: world.http.clone(), request, key: None };
    form.raw("text/plain", r#"{"balance":0}"#).send().await.refused(400, "VALIDATION_ERROR");
    let request = world.http.get(format!("{}/outbound", world.dev_url));
    let get = Call { http: world.http.clone(), request, key: None };
    get.send().await.refused(405, "METHOD_NOT_ALLOWED");
    world.dev("/nowhere", json!({})).await.refused(404, "NOT_FOUND");
    assert_eq!(world.balance().await, 1000);
}

#[tokio::test]
async fn without_dev_there_are_none() {
    let world = World::with(|options| options.dev = false).await;
    for path in ["/inbound", "/clock", "/credits", "/keys/revoke", "/fault", "/outbound", "/event", ""] {
        world.dev(path, json!({"balance": 0, "advance_seconds": 1})).await.refused(404, "NOT_FOUND");
    }
    assert_eq!(world.balance().await, 1000);
}

#[tokio::test]
async fn the_switches_listen_on_loopback_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let mut options = Options::new(listen, folder.path().join("service.db"), HandClock::new());
    options.dev = true;
    assert!(matches!(service::start(options).await, Err(service::StartError::NotLoopback(_))));
}

#[tokio::test]
async fn the_ready_file_tells_where_and_once_the_keys() {
    let world = World::new().await;
    let path = world.folder.as_ref().expect("a folder").path().join("ready.json");
    let read = |world: &World| {
        service::ready_file::write(&path, world.running.as_ref().expect("it runs")).expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        serde_json::from_slice::<Value>(&std::fs::read(&path).expect("readable")).expect("JSON")
    };
    let ready = read(&world);
    assert_eq!(ready["base_url"], world.base_url);
    assert_eq!(ready["dev_url"], world.dev_url);
    assert!(world.base_url.starts_with("http://127.0.0.1:") && world.base_url.ends_with("/v1"));
    let keys = ready["keys"].as_array().expect("keys");
    let told: Vec<_> =
        keys.iter().map(|key| (key["channel"].as_str(), key["environment"].as_str())).collect();
    for channel in ["whatsapp", "telegram", "email", "voip"] {
        for environment in ["live", "test"] {
            assert!(told.contains(&(Some(channel), Some(environment))), "{told:?}");
        }
    }
    assert_eq!(keys.len(), 8);
    for key in keys {
        let text = key["key"].as_str().expect("a key");
        assert!(text.starts_with(&format!("svc_{}_", key["environment"].as_str().expect("a word"))));
        let account = world.call("GET", "/account").key(text).send().await.ok();
        assert_eq!(account["environment"], key["environment"]);
    }
    let world = world.restarted(|options| options.unlimited = true).await;
    let file = serde_json::from_slice::<Value>(&std::fs::read(&path).expect("readable")).expect("JSON");
    assert!(file.get("keys").is_some(), "the old file stays until it is written again");
    service::ready_file::write(&path, world.running.as_ref().expect("it runs")).expect("written");
    let file = serde_json::from_slice::<Value>(&std::fs::read(&path).expect("readable")).expect("JSON");
    assert_eq!(file, json!({"base_url": world.base_url, "dev_url": world.dev_url}));
}
