//! Authentication and scopes: every 401 and 403, and `GET /account`.

use super::*;

/// A path of each channel that its key may read.
const HOMES: [(&str, &str); 2] = [("whatsapp", "/conversations"), ("telegram", "/telegram/conversations")];

#[tokio::test]
async fn each_way_not_to_be_known_has_its_code() {
    let world = World::new().await;
    let good = world.live("whatsapp");
    let other = if good.ends_with('a') { "b" } else { "a" };
    let mistyped = format!("{}{other}", &good[..good.len() - 1]);
    let stranger = "svc_live_0000000000000000000000000000000000000000000ABCDEF".to_owned();
    let header = |text: &str| Some(text.to_owned());
    let cases = [
        (None, "INVALID_AUTH"),
        (header(""), "INVALID_AUTH"),
        (header("Bearer"), "INVALID_AUTH"),
        (header("Bearer "), "INVALID_AUTH"),
        (Some(format!("Bearer  {good}")), "INVALID_AUTH"),
        (Some(format!("Bearer {good} x")), "INVALID_AUTH"),
        (Some(format!("Basic {good}")), "INVALID_AUTH"),
        (Some(good.clone()), "INVALID_AUTH"),
        (header("Bearer é"), "INVALID_AUTH"),
        (header("Bearer x"), "INVALID_KEY"),
        (header("Bearer svc_live_"), "INVALID_KEY"),
        (Some(format!("Bearer {mistyped}")), "INVALID_KEY"),
        (Some(format!("Bearer {stranger}")), "INVALID_KEY"),
        (Some(format!("Bearer {}", good.to_lowercase())), "INVALID_KEY"),
        (Some(format!("Bearer {}", &good[..good.len() - 1])), "INVALID_KEY"),
    ];
    for (value, code) in cases {
        // Independent of the path, existing or not.
        for path in ["/account", "/messages/send", "/nowhere", "/conversations?limit=0"] {
            let call = world.call("GET", path).keyless();
            let call = match &value {
                Some(value) => call.header("authorization", value),
                None => call,
            };
            call.send().await.refused(401, code);
        }
    }
    let twice = world.call("GET", "/account").header("authorization", &format!("Bearer {good}"));
    twice.send().await.refused(401, "INVALID_AUTH");
    for scheme in ["bearer", "BEARER"] {
        let call =
            world.call("GET", "/account").keyless().header("authorization", &format!("{scheme} {good}"));
        call.send().await.ok();
    }
    let in_query = world.call("GET", &format!("/account?api_key={good}")).keyless();
    in_query.send().await.refused(401, "INVALID_AUTH");
    world.get("/account").await.ok();
}

#[tokio::test]
async fn a_revoked_key_stops_with_the_next_call() {
    let world = World::new().await;
    world.get("/account").await.ok();
    world.dev("/keys/revoke", json!({"key": world.live("whatsapp")})).await.ok();
    world.get("/account").await.refused(401, "REVOKED_KEY");
    world.post("/messages/send", text_to(ANA, "x")).await.refused(401, "REVOKED_KEY");
    // Other keys work; the key stays revoked.
    world.call("GET", "/account").key(world.live("telegram")).send().await.ok();
    world.dev("/keys/revoke", json!({"key": world.live("whatsapp")})).await.ok();
    world.get("/account").await.refused(401, "REVOKED_KEY");
    world.dev("/keys/revoke", json!({"key": "svc_live_x"})).await.refused(404, "NOT_FOUND");
    let world = world.restarted(|options| options.unlimited = true).await;
    world.get("/account").await.refused(401, "REVOKED_KEY");
}

#[tokio::test]
async fn a_key_reaches_its_own_channel_only() {
    let world = World::new().await;
    let chat = [
        ("GET", "/messages"),
        ("GET", "/messages/m"),
        ("POST", "/messages/send"),
        ("POST", "/messages/m/react"),
        ("GET", "/conversations"),
        ("GET", "/conversations/c"),
        ("PATCH", "/conversations/c"),
        ("GET", "/conversations/c/messages"),
        ("POST", "/conversations/c/close"),
        ("GET", "/templates"),
    ];
    let bot = [
        ("POST", "/telegram/send"),
        ("GET", "/telegram/conversations"),
        ("GET", "/telegram/conversations/c/messages"),
        ("POST", "/telegram/messages/m/react"),
    ];
    for channel in ["whatsapp", "telegram", "email", "voip"] {
        let foreign = chat.iter().filter(|_| channel != "whatsapp");
        for (method, path) in foreign.chain(bot.iter().filter(|_| channel != "telegram")) {
            for environment in [Environment::Live, Environment::Test] {
                let call = world.call(method, path).key(world.key(channel, environment));
                call.json(&json!({})).send().await.refused(403, "FORBIDDEN");
            }
        }
        let key = world.live(channel);
        world.call("GET", "/account").key(&key).send().await.ok();
        world.call("GET", "/triggers/new-message").key(&key).send().await.ok();
    }
    for (channel, path) in HOMES {
        world.call("GET", path).key(world.live(channel)).send().await.ok();
    }
}

#[tokio::test]
async fn a_key_of_any_channel_reads_what_the_service_offers_to_desks() {
    let world = World::new().await;
    let path = "/../desk/v1";
    world.call("GET", path).keyless().send().await.refused(401, "INVALID_AUTH");
    for channel in ["whatsapp", "telegram", "email", "voip"] {
        let key = world.live(channel);
        let account = world.call("GET", "/account").key(&key).send().await.ok();
        let body = world.call("GET", path).key(&key).send().await.ok();
        assert_eq!(body["workspace"], account["workspace"], "{body}");
        assert_eq!(body["features"], json!(["automation"]), "{body}");
        assert!(body["version"].as_str().is_some_and(|version| !version.is_empty()), "{body}");
    }
    world.call("POST", path).json(&json!({})).send().await.refused(405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn the_account_tells_what_a_key_drives() {
    let world = World::new().await;
    let mut assistants = Vec::new();
    for (channel, platform) in
        [("whatsapp", "WHATSAPP"), ("telegram", "TELEGRAM"), ("email", "EMAIL"), ("voip", "VOIP")]
    {
        for environment in [Environment::Live, Environment::Test] {
            let key = world.key(channel, environment);
            let body = world.call("GET", "/account").key(key).send().await.ok();
            assert_eq!(body["environment"], environment.word());
            assert_eq!(body["assistant"]["platform"], platform);
            assert_eq!(body["assistantId"], body["assistant"]["id"]);
            assert_eq!(body["id"], body["workspace"]["id"]);
            assert_eq!(body["creditsBalance"], 1000);
            assert!(body["keyId"].is_string() && body["workspace"]["name"].is_string());
            assert_eq!(body["whatsappNumber"].is_string(), channel == "whatsapp", "{body}");
            assert_eq!(body["messagingTier"].is_string(), channel == "whatsapp", "{body}");
            assert_eq!(body["qualityRating"].is_string(), channel == "whatsapp", "{body}");
            assistants.push(body["assistantId"].as_str().expect("an id").to_owned());
        }
    }
    assistants.dedup();
    assert_eq!(assistants.len(), 4);
}

#[tokio::test]
async fn paths_and_methods_that_are_not_there() {
    let world = World::new().await;
    for path in ["/nowhere", "/messages/a/b/c", "/conversations/", "", "/", "//account", "/account/"] {
        world.get(path).await.refused(404, "NOT_FOUND");
    }
    for (method, path) in [
        ("DELETE", "/account"),
        ("POST", "/account"),
        ("OPTIONS", "/messages"),
        ("GET", "/conversations/c/close"),
        ("PUT", "/conversations/c"),
        ("TRACE", "/messages/send"),
        ("PATCH", "/triggers/new-message"),
    ] {
        world.call(method, path).send().await.refused(405, "METHOD_NOT_ALLOWED");
    }
    let head = world.call("HEAD", "/account").send().await;
    assert_eq!(head.status, 200);
    assert_eq!(world.call("HEAD", "/nowhere").send().await.status, 404);
    let request = world.http.get(format!("http://{}/elsewhere", world.address()));
    Call { http: world.http.clone(), request, key: None }.send().await.refused(404, "NOT_FOUND");
}
