//! Claims, notes, tags, snoozes, replies and the assistant's switch.

use super::*;

const CUSTOMER: &str = "+34600111222";

fn path(conversation: &str, part: &str) -> String {
    format!("/desk/v1/conversations/{conversation}/{part}")
}

async fn put(team: &Team, colleague: &Colleague, conversation: &str, part: &str, body: Value) -> Answer {
    team.call(&colleague.session, "PUT", &path(conversation, part), body).await
}

async fn shared(team: &Team, colleague: &Colleague, conversation: &str) -> Value {
    let body = team.get(colleague, &format!("/desk/v1/conversations?ids={conversation}")).await.ok();
    body["data"][0].clone()
}

#[tokio::test]
async fn claim_is_compared_and_set() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let body = put(&team, &ana, &id, "claim", json!({})).await.ok();
    assert_eq!(body["claim"]["person"], json!({"id": ana.id(), "name": "Ana"}));
    let version = body["claim"]["version"].as_i64().expect("a version");
    assert_eq!(put(&team, &ana, &id, "claim", json!({})).await.ok()["claim"], body["claim"], "hers already");
    let refused = put(&team, &ben, &id, "claim", json!({})).await;
    assert!(refused.refused(409, "CLAIMED").contains("Ana has it"), "{}", refused.body);
    assert_eq!(refused.body["claim"], body["claim"]);
    put(&team, &ben, &id, "claim", json!({"force": true})).await.refused(403, "FORBIDDEN");
    let release = |colleague: &Colleague, body: Value| {
        let (session, path) = (colleague.session.clone(), path(&id, "claim"));
        let team = &team;
        async move { team.call(&session, "DELETE", &path, body).await }
    };
    release(&ben, Value::Null).await.refused(409, "CLAIMED");
    release(&ana, json!({"version": version + 7})).await.refused(409, "CLAIMED");
    assert_eq!(release(&ana, json!({"version": version})).await.ok()["claim"], Value::Null);
    let body = put(&team, &ben, &id, "claim", json!({"version": version + 1})).await.ok();
    assert_eq!(body["claim"]["version"], version + 2);
    team.shutdown().await;
}

#[tokio::test]
async fn lead_takes_over_and_anybody_when_the_owner_was_away() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let lea = team.sign_in("Lea", Role::Lead).await;
    let id = team.inbound("email", "maria@mail.example", "Hello").await;
    put(&team, &ana, &id, "claim", json!({})).await.ok();
    put(&team, &lea, &id, "claim", json!({})).await.refused(409, "CLAIMED");
    assert_eq!(
        put(&team, &lea, &id, "claim", json!({"force": true})).await.ok()["claim"]["person"]["name"],
        "Lea"
    );
    // To another person, who accepts nothing.
    let body = put(&team, &lea, &id, "claim", json!({"person": "ana"})).await.ok();
    assert_eq!(body["claim"]["person"]["id"], ana.id());
    put(&team, &lea, &id, "claim", json!({"person": "nobody"})).await.refused(400, "VALIDATION_ERROR");
    team.advance(30 * 60 - 60).await;
    put(&team, &ben, &id, "claim", json!({"force": true})).await.refused(403, "FORBIDDEN");
    team.advance(61).await;
    put(&team, &ben, &id, "claim", json!({})).await.refused(409, "CLAIMED");
    assert_eq!(
        put(&team, &ben, &id, "claim", json!({"force": true})).await.ok()["claim"]["person"]["name"],
        "Ben"
    );
    team.shutdown().await;
}

#[tokio::test]
async fn who_handed_a_conversation_over_takes_it_back_until_it_is_claimed_again() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let cid = team.sign_in("Cid", Role::Agent).await;
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    put(&team, &ana, &id, "claim", json!({})).await.ok();
    let given = put(&team, &ana, &id, "claim", json!({"person": "Ben"})).await.ok();
    assert_eq!(given["claim"]["person"]["id"], ben.id());
    put(&team, &cid, &id, "claim", json!({})).await.refused(409, "CLAIMED");
    let version = given["claim"]["version"].as_i64().expect("a version");
    put(&team, &ana, &id, "claim", json!({"version": version - 1})).await.refused(409, "CLAIMED");
    let back = put(&team, &ana, &id, "claim", json!({"version": version})).await.ok();
    assert_eq!(back["claim"]["person"]["id"], ana.id());
    // Ben claims it himself: it is no longer what Ana gave.
    put(&team, &ana, &id, "claim", json!({"person": "Ben"})).await.ok();
    team.call(&ben.session, "DELETE", &path(&id, "claim"), Value::Null).await.ok();
    put(&team, &ben, &id, "claim", json!({})).await.ok();
    put(&team, &ana, &id, "claim", json!({})).await.refused(409, "CLAIMED");
    team.call(&ana.session, "DELETE", &path(&id, "claim"), Value::Null).await.refused(409, "CLAIMED");
    // A conversation that nobody had is released.
    let free = team.inbound("whatsapp", "+34600999888", "Hola").await;
    put(&team, &ana, &free, "claim", json!({"person": "Ben"})).await.ok();
    let body = team.call(&ana.session, "DELETE", &path(&free, "claim"), Value::Null).await.ok();
    assert_eq!(body["claim"], Value::Null);
    team.shutdown().await;
}

#[tokio::test]
async fn claim_ends_with_its_conversation_or_person() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    put(&team, &ana, &id, "claim", json!({})).await.ok();
    team.call(ben.key("whatsapp"), "POST", &format!("/v1/conversations/{id}/close"), Value::Null).await.ok();
    assert_eq!(shared(&team, &ben, &id).await["claim"], Value::Null);
    put(&team, &ana, &id, "claim", json!({})).await.ok();
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    assert_eq!(shared(&team, &ben, &id).await["claim"], Value::Null);
    team.shutdown().await;
}

#[tokio::test]
async fn only_its_author_changes_a_note_that_is_added_once() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let lea = team.sign_in("Lea", Role::Lead).await;
    let id = team.inbound("telegram", "4711", "Hi").await;
    let add = |colleague: &Colleague, note: &str, words: &str| {
        let (session, body) = (colleague.session.clone(), json!({"id": note, "text": words}));
        let (team, path) = (&team, path(&id, "notes"));
        async move { team.call(&session, "POST", &path, body).await }
    };
    let note = add(&ana, "n-1", "@Ben please call").await;
    assert_eq!(note.status, 201);
    assert_eq!(note.body["mentions"], json!([{"id": ben.id(), "name": "Ben"}]));
    assert_eq!(add(&ana, "n-1", "@Ben please call").await.status, 200, "a repeat");
    add(&ben, "n-1", "mine").await.refused(409, "IDEMPOTENCY_CONFLICT");
    add(&ana, "n-1", "another text").await.refused(409, "IDEMPOTENCY_CONFLICT");
    for wrong in
        [json!({"id": "", "text": "x"}), json!({"id": "n", "text": " "}), json!({"text": "x"}), json!([])]
    {
        team.call(&ana.session, "POST", &path(&id, "notes"), wrong).await.refused(400, "VALIDATION_ERROR");
    }
    let one = path(&id, "notes/n-1");
    team.call(&ben.session, "PATCH", &one, json!({"text": "x"})).await.refused(403, "FORBIDDEN");
    team.call(&ben.session, "DELETE", &one, Value::Null).await.refused(403, "FORBIDDEN");
    let edited = team.call(&ana.session, "PATCH", &one, json!({"text": "done"})).await.ok();
    assert!(
        edited["text"] == "done" && edited["editedAt"].is_string() && edited["mentions"] == json!([]),
        "{edited}"
    );
    assert_eq!(shared(&team, &ben, &id).await["notes"][0]["text"], "done");
    team.call(&lea.session, "DELETE", &one, Value::Null).await.ok();
    assert_eq!(shared(&team, &ben, &id).await["notes"], json!([]));
    // A late repeat does not bring it back.
    assert_eq!(add(&ana, "n-1", "@Ben please call").await.status, 200);
    assert_eq!(shared(&team, &ben, &id).await["notes"], json!([]));
    team.shutdown().await;
}

#[tokio::test]
async fn sixth_note_of_a_second_is_refused() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let add = |number: usize| {
        let (team, body) = (&team, json!({"id": format!("n-{number}"), "text": "x"}));
        let (session, path) = (ana.session.clone(), path(&id, "notes"));
        async move { team.call(&session, "POST", &path, body).await }
    };
    for number in 0..5 {
        add(number).await.ok();
    }
    let refused = add(5).await;
    assert!(
        refused.refused(429, "RATE_LIMIT_EXCEEDED").contains("at most 5 notes a second"),
        "{}",
        refused.body
    );
    team.advance(2).await;
    add(5).await.ok();
    team.shutdown().await;
}

#[tokio::test]
async fn later_change_of_tags_and_snooze_counts() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let id = team.inbound("voip", CUSTOMER, "Hola").await;
    let before = team.clock.now().to_string();
    team.advance(60).await;
    assert_eq!(
        put(&team, &ana, &id, "tags", json!({"tags": ["vip", " vip", "late"]})).await.ok()["tags"],
        json!(["vip", "late"])
    );
    let body = put(&team, &ben, &id, "tags", json!({"tags": ["old"], "at": before})).await.ok();
    assert_eq!(body["tags"], json!(["vip", "late"]), "made earlier, told later");
    let until = "2026-12-24T09:00:00.000Z";
    let body = put(&team, &ana, &id, "snooze", json!({"until": until, "note": "delivery"})).await.ok();
    assert_eq!(body["snooze"], json!({"until": until, "note": "delivery"}));
    let body = put(&team, &ben, &id, "snooze", json!({"until": null, "at": before})).await.ok();
    assert_eq!(body["snooze"]["note"], "delivery");
    assert_eq!(put(&team, &ben, &id, "snooze", json!({})).await.ok()["snooze"], Value::Null);
    for (part, wrong) in [
        ("tags", json!({"tags": [""]})),
        ("tags", json!({"tags": ["x"], "at": "yesterday"})),
        ("snooze", json!({"until": "tomorrow"})),
    ] {
        put(&team, &ana, &id, part, wrong).await.refused(400, "VALIDATION_ERROR");
    }
    team.shutdown().await;
}

#[tokio::test]
async fn assistant_is_switched_on_every_channel() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let writers =
        [("whatsapp", CUSTOMER), ("telegram", "4711"), ("voip", CUSTOMER), ("email", "maria@mail.example")];
    for (channel, from) in writers {
        let id = team.inbound(channel, from, "Hello").await;
        for enabled in [false, true] {
            let body = put(&team, &ana, &id, "automation", json!({"enabled": enabled})).await.ok();
            assert_eq!(body["enabled"], enabled, "{channel}");
            let read = team.get(&ana, &path(&id, "automation")).await.ok();
            assert_eq!(read["enabled"], enabled, "{channel}");
        }
    }
    put(&team, &ana, "conv_x", "automation", json!({"enabled": true})).await.refused(404, "NOT_FOUND");
    team.shutdown().await;
}

#[tokio::test]
async fn replies_are_shared_by_name() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let set = |colleague: &Colleague, name: &str, words: &str| {
        let (session, path) = (colleague.session.clone(), format!("/desk/v1/replies/{name}"));
        let (team, body) = (&team, json!({"text": words}));
        async move { team.call(&session, "PUT", &path, body).await }
    };
    assert_eq!(set(&ana, "thanks", "Thank you!").await.ok()["version"], 1);
    let body = set(&ben, "thanks", "Thanks a lot!").await.ok();
    assert_eq!((&body["version"], &body["person"]["name"]), (&json!(2), &json!("Ben")));
    assert_eq!(team.get(&ana, "/desk/v1/replies").await.ok()["data"][0]["text"], "Thanks a lot!");
    team.call(&ana.session, "DELETE", "/desk/v1/replies/thanks", Value::Null).await.ok();
    team.get(&ben, "/desk/v1/replies/thanks").await.refused(404, "NOT_FOUND");
    set(&ana, &"x".repeat(65), "x").await.refused(400, "VALIDATION_ERROR");
    set(&ana, "empty", " ").await.refused(400, "VALIDATION_ERROR");
    team.shutdown().await;
}

#[tokio::test]
async fn nothing_is_shared_with_keys_viewers_and_other_workspaces() {
    let team = Team::start().await;
    let (ana, eve) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Eve", Role::Viewer).await);
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    put(&team, &ana, &id, "tags", json!({"tags": ["vip"]})).await.ok();
    for (part, body) in [
        ("claim", json!({})),
        ("tags", json!({"tags": []})),
        ("snooze", json!({})),
        ("automation", json!({"enabled": false})),
    ] {
        put(&team, &eve, &id, part, body).await.refused(403, "FORBIDDEN");
    }
    assert_eq!(shared(&team, &eve, &id).await["tags"], json!(["vip"]), "a viewer reads");
    let key = ana.key("whatsapp");
    team.call(key, "PUT", &path(&id, "claim"), json!({})).await.refused(403, "FORBIDDEN");
    team.call(key, "GET", "/desk/v1/conversations?ids=x", Value::Null).await.refused(403, "FORBIDDEN");
    let (other, _) =
        team.admin.add_workspace(Some("Other".to_owned()), team.clock.now()).await.expect("added");
    let admin = open_admin(team.place()).await.in_workspace(Some(other));
    let token = admin.add_person("Ana", None, team.clock.now()).await.expect("added").token;
    let stranger = team.exchange(token.expose()).await.ok();
    let session = stranger["session"].as_str().expect("a session");
    team.call(session, "PUT", &path(&id, "claim"), json!({})).await.refused(404, "NOT_FOUND");
    let list = team.call(session, "GET", &format!("/desk/v1/conversations?ids={id}"), Value::Null).await.ok();
    assert_eq!(list["data"], json!([]));
    for query in ["", "?ids=", "?ids=a&changedAfter=2026-11-20T09:17:04Z", "?changedAfter=x"] {
        team.get(&ana, &format!("/desk/v1/conversations{query}")).await.refused(400, "VALIDATION_ERROR");
    }
    admin.close();
    team.shutdown().await;
}

#[tokio::test]
async fn changes_are_listed_after_a_time() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let one = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let two = team.inbound("telegram", "4711", "Hi").await;
    put(&team, &ana, &one, "tags", json!({"tags": ["a"]})).await.ok();
    let mark = text(&shared(&team, &ana, &one).await["changedAt"]);
    team.advance(1).await;
    put(&team, &ana, &two, "claim", json!({})).await.ok();
    let body = team.get(&ana, &format!("/desk/v1/conversations?changedAfter={mark}")).await.ok();
    let ids: Vec<_> = body["data"].as_array().expect("a list").iter().map(|item| text(&item["id"])).collect();
    assert_eq!(ids, [two]);
    team.shutdown().await;
}

async fn pauses_name_their_person(team: Team) {
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let bot = team.inbound("telegram", "4711", "Hi").await;
    let alone = format!("/v1/conversations/{chat}");
    let switch = async |colleague: &Colleague, enabled: bool| {
        let body = json!({"automationEnabled": enabled});
        team.call(colleague.key("whatsapp"), "PATCH", &alone, body).await.ok();
    };
    // As read alone, and as listed.
    let paused_by = async || {
        let key = ana.key("whatsapp");
        let whole = team.call(key, "GET", &alone, Value::Null).await.ok();
        let list = team.call(key, "GET", "/v1/conversations", Value::Null).await.ok();
        assert_eq!(whole["pausedBy"], list["data"][0]["pausedBy"], "{list}");
        assert!(whole["pausedFrom"].is_null(), "{whole}");
        whole["pausedBy"].clone()
    };
    assert_eq!(paused_by().await, Value::Null);
    switch(&ana, false).await;
    assert_eq!(paused_by().await, "Ana");
    switch(&ben, false).await;
    assert_eq!(paused_by().await, "Ana", "it was off already");
    switch(&ben, true).await;
    assert_eq!(paused_by().await, Value::Null);
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "On my way"}});
    team.call(ben.key("whatsapp"), "POST", "/v1/messages/send", body).await.ok();
    assert_eq!(paused_by().await, "Ben", "an answer pauses");
    switch(&ana, true).await;
    let listed = async || {
        let list =
            team.call(ana.key("telegram"), "GET", "/v1/telegram/conversations", Value::Null).await.ok();
        list["data"][0]["pausedBy"].clone()
    };
    put(&team, &ben, &bot, "automation", json!({"enabled": false})).await.ok();
    assert_eq!(listed().await, "Ben");
    put(&team, &ben, &bot, "automation", json!({"enabled": true})).await.ok();
    assert_eq!(listed().await, Value::Null);
    // The console is nobody of the team.
    team.admin.switch_automation(&bot, false, team.clock.now()).await.expect("paused");
    assert_eq!(listed().await, Value::Null);
    team.shutdown().await;
}

#[tokio::test]
async fn pause_names_its_person_until_the_ai_runs_again() {
    pauses_name_their_person(Team::start().await).await;
    let Some(server) = cluster::server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    pauses_name_their_person(Team::at(&cluster::database(server).await, folder.path()).await).await;
}

async fn pauses_of_phone_and_mail_name_their_person(team: Team) {
    const MARIA: &str = "maria@mail.example";
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let phone = team.inbound("voip", CUSTOMER, "Hola").await;
    let thread = team.inbound("email", MARIA, "Hello").await;
    let of_phone = async || {
        let list = team.call(ana.key("voip"), "GET", "/v1/voip/conversations", Value::Null).await.ok();
        list["data"][0]["pausedBy"].clone()
    };
    let of_thread = async || {
        let copy = team.admin.export_person(MARIA, team.clock.now()).await.expect("exported");
        copy["threads"][0]["about"]["paused_by"].clone()
    };
    assert_eq!((of_phone().await, of_thread().await), (Value::Null, Value::Null));
    for (colleague, enabled, paused_by) in
        [(&ana, false, json!("Ana")), (&ben, false, json!("Ana")), (&ben, true, Value::Null)]
    {
        for id in [&phone, &thread] {
            put(&team, colleague, id, "automation", json!({"enabled": enabled})).await.ok();
        }
        assert_eq!((of_phone().await, of_thread().await), (paused_by.clone(), paused_by));
    }
    let body = json!({"to": CUSTOMER, "body": "On my way"});
    team.call(ben.key("voip"), "POST", "/v1/voip/sms", body).await.ok();
    let body = json!({"to": MARIA, "subject": "Re: Hello", "text": "On my way", "threadId": thread});
    team.call(ben.key("email"), "POST", "/v1/email/send", body).await.ok();
    assert_eq!((of_phone().await, of_thread().await), (json!("Ben"), json!("Ben")), "an answer pauses");
    let list = team.call(ana.key("email"), "GET", "/v1/email/threads", Value::Null).await.ok();
    assert_eq!(list["data"][0]["id"], thread, "{list}");
    assert_eq!(list["data"][0]["pausedBy"], Value::Null, "no assistant answers mail here");
    team.shutdown().await;
}

#[tokio::test]
async fn pause_of_a_phone_conversation_and_of_a_thread_names_its_person() {
    let scripted = |options: &mut Options| {
        options.unlimited = true;
        options.assistant = service::AssistantChoice::Scripted;
    };
    pauses_of_phone_and_mail_name_their_person(Team::with(scripted).await).await;
    let Some(server) = cluster::server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let url = cluster::database(server).await;
    let team = Team::with(|options| {
        scripted(options);
        options.database = url.parse().expect("an address");
        options.key_file = Some(folder.path().join("service.key"));
    });
    pauses_of_phone_and_mail_name_their_person(team.await).await;
}
