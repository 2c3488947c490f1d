//! Who sent a message, what is recorded about people, and what is written nowhere.

use super::*;
use frontdesk::model::time::Timestamp;

const CUSTOMER: &str = "+34600111222";

#[tokio::test]
async fn message_sent_with_a_person_s_key_names_them() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let agent = json!({"id": ana.id(), "name": "Ana"});
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "Hi"}});
    team.call(ana.key("whatsapp"), "POST", "/v1/messages/send", body.clone()).await.ok();
    let list = team
        .call(ana.key("whatsapp"), "GET", &format!("/v1/conversations/{chat}/messages"), Value::Null)
        .await
        .ok();
    let sent: Vec<&Value> = list["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|item| item["direction"] == "outbound")
        .collect();
    assert_eq!(sent[0]["agent"], agent, "{list}");
    let bot = team.inbound("telegram", "4711", "Hi").await;
    let body = json!({"chatId": "4711", "text": "Hello"});
    team.call(ana.key("telegram"), "POST", "/v1/telegram/send", body).await.ok();
    let path = format!("/v1/telegram/conversations/{bot}/messages");
    let list = team.call(ana.key("telegram"), "GET", &path, Value::Null).await.ok();
    assert!(list["data"].as_array().expect("a list").iter().any(|item| item["agent"] == agent), "{list}");
    let thread = team.inbound("email", "maria@mail.example", "Hello").await;
    let body =
        json!({"to": ["maria@mail.example"], "subject": "Re: Hello", "text": "Hi", "threadId": thread});
    team.call(ana.key("email"), "POST", "/v1/email/send", body).await.ok();
    let list = team.call(ana.key("email"), "GET", "/v1/email/threads", Value::Null).await.ok();
    let mut named = false;
    for item in list["data"].as_array().expect("a list") {
        let path = format!("/v1/email/threads/{}", text(&item["id"]));
        let whole = team.call(ana.key("email"), "GET", &path, Value::Null).await.ok();
        named |= whole["messages"].as_array().expect("mails").iter().any(|mail| mail["agent"] == agent);
    }
    assert!(named, "{list}");
    team.shutdown().await;
}

#[tokio::test]
async fn message_sent_with_a_plain_key_names_nobody() {
    let mut plain = None;
    let team = Team::with(|options| options.unlimited = true).await;
    for key in &team.running.as_ref().expect("it runs").keys {
        if key.channel == "whatsapp" && key.key.expose().starts_with("svc_live_") {
            plain = Some(key.key.expose().to_owned());
        }
    }
    let plain = plain.expect("a key");
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "Hi"}});
    team.call(&plain, "POST", "/v1/messages/send", body).await.ok();
    let list =
        team.call(&plain, "GET", &format!("/v1/conversations/{chat}/messages"), Value::Null).await.ok();
    assert!(list["data"].as_array().expect("a list").iter().all(|item| item["agent"].is_null()), "{list}");
    team.shutdown().await;
}

#[tokio::test]
async fn actions_of_people_are_recorded_without_texts_and_secrets() {
    let team = Team::start().await;
    let token = team.add("Ana", Role::Agent).await.token.expose().to_owned();
    let signed_in = team.exchange(&token).await.ok();
    let (session, ana) = (text(&signed_in["session"]), text(&signed_in["person"]["id"]));
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let snooze = json!({"until": "2026-12-24T09:00:00.000Z", "note": "a secret reason"});
    for (method, part, body) in [
        ("POST", "notes", json!({"id": "n", "text": "a secret remark"})),
        ("PUT", "claim", json!({})),
        ("PUT", "tags", json!({"tags": ["secret-tag"]})),
        ("PUT", "snooze", snooze),
        ("PUT", "automation", json!({"enabled": false})),
        ("DELETE", "claim", json!({})),
    ] {
        team.call(&session, method, &format!("/desk/v1/conversations/{chat}/{part}"), body).await.ok();
    }
    team.admin.set_person_role("Ana", Role::Lead, team.clock.now()).await.expect("a lead");
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    let all = cluster::column(
        team.place(),
        "SELECT person || ' ' || action || ' ' || subject FROM team_actions ORDER BY at, id",
    );
    let by_person = ["note", "claim", "tags", "snooze", "pause", "release"];
    let by_person = by_person.map(|action| format!("{ana} {action} {chat}"));
    assert_eq!(all[0], format!(" person add {ana}"));
    assert!(all[1].starts_with(&format!("{ana} sign-in ses_")), "{all:?}");
    assert_eq!(all[2..8], by_person);
    // The console has no id.
    assert_eq!(all[8..], [format!(" person role {ana}"), format!(" person remove {ana}")]);
    let keys =
        signed_in["channels"].as_array().expect("channels").iter().map(|channel| text(&channel["key"]));
    let texts = ["a secret remark", "a secret reason", "secret-tag"].map(str::to_owned);
    let secrets: Vec<String> = keys.chain([token, session]).chain(texts).collect();
    assert_eq!(secrets.len(), 9, "four keys, the token, the session and three texts");
    for written in &all {
        for secret in &secrets {
            assert!(!written.contains(secret.as_str()), "{written}");
        }
    }
    team.shutdown().await;
}

#[tokio::test]
async fn pauses_by_answers_and_releases_without_a_request_are_recorded_once() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let bot = team.inbound("telegram", "4711", "Hi").await;
    for id in [&chat, &bot] {
        team.call(&ana.session, "PUT", &format!("/desk/v1/conversations/{id}/claim"), json!({})).await.ok();
    }
    for words in ["On my way", "Five minutes"] {
        let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": words}});
        team.call(ben.key("whatsapp"), "POST", "/v1/messages/send", body).await.ok();
    }
    let close = format!("/v1/conversations/{chat}/close");
    for _ in 0..2 {
        team.call(ben.key("whatsapp"), "POST", &close, Value::Null).await.ok();
    }
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    let recorded = cluster::column(
        team.place(),
        "SELECT person || ' ' || action || ' ' || subject FROM team_actions
         WHERE action IN ('pause', 'release') ORDER BY at, id",
    );
    // The console, which removes a person, has no id.
    let ben = ben.id();
    let expected =
        [format!("{ben} pause {chat}"), format!("{ben} release {chat}"), format!(" release {bot}")];
    assert_eq!(recorded, expected);
    team.shutdown().await;
}

#[tokio::test]
async fn erased_customer_leaves_no_notes_and_desks_are_told() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let path = format!("/desk/v1/conversations/{chat}/notes");
    team.call(&ana.session, "POST", &path, json!({"id": "n", "text": "Rita again"})).await.ok();
    team.admin.erase(CUSTOMER, Timestamp::default()).await.expect("erased");
    assert_eq!(cluster::column(team.place(), "SELECT text FROM team_notes"), Vec::<String>::new());
    let last = "SELECT kind FROM team_changes ORDER BY seq DESC LIMIT 1";
    assert_eq!(cluster::column(team.place(), last), ["conversation"]);
    team.shutdown().await;
}

#[tokio::test]
async fn figures_count_people_and_streams() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let url = format!("{}/desk/v1/events", team.base_url);
    let mut stream = team.http.get(url).bearer_auth(&ana.session).send().await.expect("an answer");
    stream.chunk().await.expect("open").expect("a reset");
    let page = team.http.get(format!("{}/metrics", team.base_url)).send().await.expect("an answer");
    let page = page.text().await.expect("text");
    for line in ["frontdesk_team_people{workspace=\"ws_1\"} 1", "frontdesk_team_streams 1"] {
        assert!(page.contains(line), "{line} is not in {page}");
    }
    drop(stream);
    team.shutdown().await;
}
