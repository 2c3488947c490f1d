//! `frontdesk join` and `frontdesk leave`, with the real binary on the real service, and the client's requests.

use std::path::{Path, PathBuf};

use frontdesk::api::team::{ClaimEvent, ClaimRequest, NewNote};
use frontdesk::client::key_fingerprint;
use frontdesk::client::team::ClaimAnswer;
use frontdesk::client::team_events::{TeamEvent, TeamNews};
use frontdesk::client::{Client, ReadError, WriteOutcome};
use frontdesk::model::secret::Secret;
use frontdesk::shell::clock::SystemClock;
use tokio::io::AsyncWriteExt;

use super::*;
use crate::binary::{Binary, Ended};
use crate::raw_http::RawRequest;
use crate::waiting::until_found;

async fn run(binary: &Arc<Binary>, arguments: &[&str], input: &str) -> Ended {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let (binary, input) = (Arc::clone(binary), input.to_owned());
    let running = tokio::task::spawn_blocking(move || {
        binary.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), &input)
    });
    running.await.expect("no panic")
}

#[track_caller]
fn json_of(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.out);
    serde_json::from_str(&ended.out).expect("JSON")
}

#[track_caller]
fn refused(ended: &Ended, code: i32, words: &str) {
    assert_eq!(ended.code, Some(code), "{}{}", ended.out, ended.err);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    assert!(ended.err.contains(words), "{words}: {}", ended.err);
}

/// All files below a folder.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_makes_tabs_and_leaving_removes_them() {
    let team = Team::start().await;
    team.inbound("whatsapp", "+34600111222", "Hola").await;
    let token = team.add("Ana", Role::Agent).await.token;
    let binary = Arc::new(Binary::new());
    let joined = json_of(&run(&binary, &["join", &team.base_url, "--json"], token.expose()).await);
    assert_eq!(joined["channels"], json!(["WhatsApp", "Telegram", "Email", "Phone"]));
    assert_eq!(joined["person"], json!({"name": "Ana", "role": "agent"}));
    let listed = run(&binary, &["list", "--channel", "WhatsApp"], "").await;
    assert!(listed.out.contains("+34600111222"), "{}{}", listed.out, listed.err);

    let again = team.add("Ana", Role::Agent).await.token;
    refused(&run(&binary, &["join", &team.base_url], again.expose()).await, 1, "has joined");

    let keys = binary.folder().join("keys");
    let secrets: Vec<String> = files(&keys)
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a key"))
        .map(|text| text.lines().nth(1).expect("a secret").to_owned())
        .chain([token.expose().to_owned()])
        .collect();
    assert_eq!(secrets.len(), 6, "four keys, the session and the token");
    for path in files(binary.folder()).iter().filter(|path| !path.starts_with(&keys)) {
        let bytes = std::fs::read(path).expect("a file");
        for secret in &secrets {
            let is_in_file = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_in_file, "a secret is in {}", path.display());
        }
    }

    let left = json_of(&run(&binary, &["leave", "--yes", "--json"], "").await);
    assert_eq!((&left["sessionEnded"], &left["unsentKept"]), (&json!(true), &json!(0)));
    assert!(files(&keys).is_empty(), "keys are left");
    assert!(!std::fs::read_to_string(binary.config()).expect("a configuration").contains("WhatsApp"));
    let key = secrets.iter().find(|secret| secret.starts_with("svc_")).expect("a key");
    team.call(key, "GET", "/v1/account", Value::Null).await.refused(401, "REVOKED_KEY");
    refused(&run(&binary, &["leave", "--yes"], "").await, 1, "joined no team");
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn desk_claims_as_the_person_of_the_team() {
    let team = Team::start().await;
    let id = team.inbound("whatsapp", "+34600111222", "Hola").await;
    let other = team.sign_in("Ana", Role::Agent).await;
    let token = team.add("Ana", Role::Agent).await.token;
    let mut binary = Binary::new();
    // Neither the login name nor a name in the configuration is the person's.
    binary.set("USER", "somebody");
    binary.configure("[writing]\nagent = \"The shop\"\n");
    let binary = Arc::new(binary);
    json_of(&run(&binary, &["join", &team.base_url, "--json"], token.expose()).await);
    let taken = run(&binary, &["take", "+34600111222"], "").await;
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    let mut engine = binary.command(&["engine"]).spawn().expect("it runs");
    let path = format!("/desk/v1/conversations?ids={id}");
    until_found("the claim", async || {
        let claim = team.get(&other, &path).await.ok()["data"][0]["claim"].clone();
        if claim["person"]["id"] == other.id() { Ok(()) } else { Err(claim) }
    })
    .await;
    engine.kill().and_then(|()| engine.wait()).expect("ended");
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_joins_say_why_and_change_nothing() {
    let team = Team::start().await;
    let token = team.add("Ana", Role::Agent).await.token;
    team.exchange(token.expose()).await.ok();
    let binary = Arc::new(Binary::new());
    let url = team.base_url.as_str();
    refused(&run(&binary, &["join", url], token.expose()).await, 1, "was used");
    refused(&run(&binary, &["join", url], "desk_nothing").await, 1, "is not known");
    refused(&run(&binary, &["join", url], "\n").await, 2, "empty");
    refused(&run(&binary, &["join", "http://desk.example"], "desk_x").await, 2, "https://");
    let closed = format!("http://127.0.0.1:{}", crate::binary::free_port());
    refused(&run(&binary, &["join", &closed], "desk_x").await, 1, "could not join");
    refused(&run(&binary, &["join", &format!("{url}/other")], "desk_x").await, 1, "kept on this desk only");
    let json = run(&binary, &["join", url, "--json"], token.expose()).await;
    let error: Value = serde_json::from_str(&json.err).expect("JSON");
    assert_eq!((&error["exit"], &error["error"]["code"]), (&json!(1), &json!("INVALID_KEY")), "{error}");
    assert_eq!(error["error"]["cause"], "sign-in-refused");
    assert!(text(&error["error"]["advice"]).contains("new sign-in token"), "{error}");
    assert!(!binary.config().exists() && !binary.folder().join("team.json").exists());
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_that_fails_uses_no_token_up() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let answering = tokio::spawn(async move {
        let mut asked = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let request = RawRequest::read(&mut stream).await.expect("a request");
            asked.push(request.method);
            let answer = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            stream.write_all(answer.as_bytes()).await.expect("answered");
            if asked.contains(&"POST".to_owned()) {
                return;
            }
        }
    });
    let binary = Arc::new(Binary::new());
    let failed = run(&binary, &["join", &url], "desk_x").await;
    assert_eq!(failed.code, Some(1), "{}{}", failed.out, failed.err);
    assert!(failed.err.contains("could not join") && !failed.err.contains("used up"), "{}", failed.err);
    assert!(!answering.is_finished(), "the token was posted");
    answering.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tabs_get_names_that_are_free() {
    let team = Team::start().await;
    let token = team.add("Ana", Role::Agent).await.token;
    let mut binary = Binary::new();
    binary.configure(
        "# mine\n[[channel]]\nname = \"WhatsApp\"\nbase_url = \"https://a.example/v1\"\nkey_env = \"A\"\n",
    );
    binary.set("FRONTDESK_JOIN_TOKEN", token.expose());
    let binary = Arc::new(binary);
    let joined = json_of(&run(&binary, &["join", &format!("{}/v1/", team.base_url), "--json"], "").await);
    assert_eq!(joined["channels"], json!(["WhatsApp 2", "Telegram", "Email", "Phone"]));
    run(&binary, &["leave", "--yes"], "").await;
    let config = std::fs::read_to_string(binary.config()).expect("a configuration");
    assert!(
        config.contains("# mine") && config.contains("WhatsApp") && !config.contains("Telegram"),
        "{config}"
    );
    team.shutdown().await;
}

#[test]
fn join_without_a_token_names_it() {
    let said = Binary::new().fails(1, &["join", "https://desk.example"], "");
    assert!(said.contains("Sign-in token") && said.contains("FRONTDESK_JOIN_TOKEN"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn desk_leaves_without_the_service_only_if_asked_to() {
    let team = Team::start().await;
    let token = team.add("Ana", Role::Agent).await.token;
    let binary = Arc::new(Binary::new());
    json_of(&run(&binary, &["join", &team.base_url, "--json"], token.expose()).await);
    team.shutdown().await;
    refused(&run(&binary, &["leave", "--yes"], "").await, 1, "removed nothing");
    assert!(binary.folder().join("team.json").exists());
    let left = json_of(&run(&binary, &["leave", "--yes", "--offline", "--json"], "").await);
    assert_eq!(left["sessionEnded"], json!(false));
    assert!(files(&binary.folder().join("keys")).is_empty());
}

fn client_of(team: &Team, bearer: &str) -> Client {
    let url = format!("{}/v1", team.base_url);
    Client::new(&url, &Secret::new(bearer), team.clock.clone()).expect("a client")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claim_of_one_desk_is_an_event_at_the_other() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let chat = team.inbound("whatsapp", "+34600111222", "Hola").await;
    let (send, mut events) = tokio::sync::mpsc::unbounded_channel();
    let follower = client_of(&team, &ben.session);
    let following =
        tokio::spawn(
            async move { follower.follow_team(None, || 0.5, |news, _| send.send(news).is_ok()).await },
        );
    while events.recv().await.expect("news") != TeamNews::Open {}
    let desk = client_of(&team, &ana.session);
    let claimed = desk.claim(&chat, &ClaimRequest::default()).await;
    let WriteOutcome::Done(ClaimAnswer::Changed(shared)) = claimed else { panic!("{claimed:?}") };
    let claim = shared.claim.expect("a claim");
    assert_eq!(claim.person.name, "Ana");
    let wanted = TeamEvent::Claim(ClaimEvent { conversation: chat.clone(), claim: Some(claim) });
    while events.recv().await.expect("news") != TeamNews::Event(wanted.clone()) {}

    let other = client_of(&team, &ben.session);
    let refused = other.claim(&chat, &ClaimRequest::default()).await;
    let WriteOutcome::Done(ClaimAnswer::Claimed(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.claim.expect("a claim").person.name, "Ana");
    let note = NewNote { id: "note-1".into(), text: "Call at five".into() };
    for _ in 0..2 {
        assert!(matches!(other.add_shared_note(&chat, &note).await, WriteOutcome::Done(_)));
    }
    let read = desk.shared_conversations(&[&chat]).await.expect("read");
    assert_eq!(read.first().map(|shared| shared.notes.len()), Some(1));

    assert!(matches!(other.sign_out().await, WriteOutcome::Done(_)));
    let ended = following.await.expect("no panic");
    assert!(matches!(ended, Err(ReadError::Refused { .. })), "{ended:?}");
    team.shutdown().await;
}

/// Names of the tabs of a desk.
fn tabs(binary: &Binary) -> Vec<String> {
    let text = std::fs::read_to_string(binary.config()).expect("a configuration");
    let names = text.lines().filter_map(|line| line.strip_prefix("name = "));
    names.map(|name| name.trim_matches('"').to_owned()).collect()
}

/// The second line of the file in which a secret is.
fn secret_in(binary: &Binary, name: &str) -> Secret {
    let paths = files(&binary.folder().join("keys"));
    let is_it = |path: &&PathBuf| path.to_string_lossy().to_lowercase().contains(name);
    let path = paths.iter().find(is_it).unwrap_or_else(|| panic!("{name}: {paths:?}"));
    let text = std::fs::read_to_string(path).expect("a secret");
    Secret::new(text.lines().nth(1).expect("a secret"))
}

/// Connects a further mailbox to the workspace of the team.
fn connect_channel(team: &Team, name: &str) {
    let sql = format!(
        "INSERT INTO channels (id, workspace, kind, assistant, address, name, created_at)
         SELECT 'ch_{name}', workspace, kind, 'asst_{name}', '{name}@shop.example', '{name}', 0
         FROM channels WHERE kind = 'email' AND name IS NULL RETURNING id"
    );
    assert_eq!(cluster::column(&team.place, &sql), [format!("ch_{name}")]);
}

async fn until_tabs(binary: &Binary, expected: &[&str]) {
    until_found("the tabs", async || {
        let found = tabs(binary);
        if found == expected { Ok(()) } else { Err(format!("{found:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channel_that_is_connected_later_reaches_a_joined_desk() {
    let team = Team::start().await;
    let token = team.add("Ana", Role::Viewer).await.token;
    let binary = Arc::new(Binary::new());
    json_of(&run(&binary, &["join", &team.base_url, "--json"], token.expose()).await);
    let session = secret_in(&binary, "session");
    let client = Client::new(&format!("{}/v1", team.base_url), &session, Arc::new(SystemClock));
    let client = client.expect("a client");
    let listed = client.team_channels().await.expect("listed").expect("by this version");
    assert!(listed.len() == 4 && listed.iter().all(|channel| channel.keys.len() == 1), "{listed:?}");
    // Found at the next start, before the tabs are read.
    connect_channel(&team, "Sales");
    // A start waits a second at most for the service, which a busy machine may exceed.
    until_found("the tab", async || {
        let ended = run(&binary, &["engine", "--until-sent"], "").await;
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        let found = tabs(&binary);
        if found == ["WhatsApp", "Telegram", "Email", "Phone", "Sales"] {
            Ok(())
        } else {
            Err(format!("{found:?}"))
        }
    })
    .await;
    let threads = run(&binary, &["list", "--channel", "Sales"], "").await;
    assert_eq!(threads.code, Some(0), "{}{}", threads.out, threads.err);
    // A key whose answer was lost is revoked, and the tab gets another one.
    let lost = match client.create_channel_key("ch_Sales").await {
        WriteOutcome::Done(key) => Secret::new(&key.key),
        outcome => panic!("{outcome:?}"),
    };
    let mut engine = binary.command(&["engine"]).spawn().expect("it runs");
    let digits = key_fingerprint(&lost);
    until_found("another key", async || {
        // Asked too often, it has to wait.
        let listed = client.team_channels().await.map_err(|error| error.to_string())?.expect("channels");
        let keys = listed.into_iter().find(|channel| channel.name == "Sales").expect("one").keys;
        if keys.len() == 1 && keys[0] != digits { Ok(()) } else { Err(format!("{keys:?}")) }
    })
    .await;
    engine.kill().and_then(|()| engine.wait()).expect("ended");
    team.call(lost.expose(), "GET", "/v1/account", Value::Null).await.refused(401, "REVOKED_KEY");
    until_tabs(&binary, &["WhatsApp", "Telegram", "Email", "Phone", "Sales"]).await;
    // A tab that a person removed stays away.
    let removed = run(&binary, &["channel", "remove", "Sales", "--yes"], "").await;
    assert_eq!(removed.code, Some(0), "{}{}", removed.out, removed.err);
    let ended = run(&binary, &["engine", "--until-sent"], "").await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert_eq!(tabs(&binary), ["WhatsApp", "Telegram", "Email", "Phone"]);
    // A channel of another workspace is none of this desk's.
    let other = match client.create_channel_key("ch_elsewhere").await {
        WriteOutcome::Done(key) => panic!("{key:?}"),
        outcome => outcome.refusal().expect("a refusal").status,
    };
    assert_eq!(other, 404);
    let left = json_of(&run(&binary, &["leave", "--yes", "--json"], "").await);
    assert_eq!(left["sessionEnded"], true, "{left}");
    assert!(tabs(&binary).is_empty());
    team.shutdown().await;
}
