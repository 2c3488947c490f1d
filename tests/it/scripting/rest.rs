//! `sms`, `call`, `upload`, `message` and `mail`.

use serde_json::{Value, json};

use crate::binary::{ALL_CHANNELS, Binary};
use crate::carriers::bots::webp;
use crate::desk::Desk;
use crate::service::receiver::Receiver;

const ANA: &str = "+34600111222";

pub fn scene() -> (Desk, Binary) {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.configure_channels(&desk, &ALL_CHANNELS);
    (desk, binary)
}

pub fn json_output(binary: &Binary, arguments: &[&str]) -> Value {
    serde_json::from_str(&binary.ok(&[arguments, &["--json"]].concat(), "")).expect("JSON")
}

#[test]
fn a_text_and_a_call_to_a_phone() {
    let (desk, binary) = scene();
    let sent = json_output(&binary, &["sms", "+34 600 111 222", "Ready at five."]);
    assert_eq!((sent["ok"].as_bool(), sent["to"].as_str()), (Some(true), Some(ANA)));
    assert!(binary.fails(2, &["sms", "600", "Hi"], "").contains("country code"));
    let said = binary.fails(2, &["call", ANA], "");
    assert!(said.contains("not published") && said.contains("--yes"), "{said}");
    assert_eq!(desk.outbound().len(), 1, "nothing was called");
    binary.fails(2, &["call", ANA, "--yes", "--context", "[1]"], "");
    let called = json_output(&binary, &["call", ANA, "--yes", "--context", r#"{"order": 1041}"#]);
    assert!(called["callId"].is_string(), "{called}");
    let line = binary.ok(&["list", "--channel", "Harbor phone"], "");
    assert!(line.contains(ANA), "{line}");
    // `show` and `export` work; other commands name the alternatives.
    let shown = binary.ok(&["show", ANA], "");
    assert!(shown.contains("Ready at five."), "{shown}");
    assert!(binary.ok(&["export", ANA], "").contains("Ready at five."));
    for change in [&["send", ANA, "Hi"][..], &["close", ANA], &["pause", ANA], &["react", ANA, "m", "x"]] {
        let said = binary.fails(2, change, "");
        assert!(said.contains("Harbor phone") && said.contains(&format!("frontdesk sms {ANA}")), "{said}");
    }
    // A chat with the same number takes precedence.
    desk.customer("whatsapp", ANA, "Ana", "Is it ready?");
    assert!(binary.ok(&["show", ANA], "").contains("Is it ready?"));
    assert!(binary.ok(&["show", ANA, "--channel", "Harbor phone"], "").contains("Ready at five."));
}

#[test]
fn text_to_a_number_that_sent_stop_is_refused_without_a_send() {
    let (desk, binary) = scene();
    desk.customer("voip", ANA, "Ana", "STOP");
    binary.ok(&["list", "--channel", "Harbor phone"], "");
    let said = binary.fails(1, &["sms", ANA, "Ready at five."], "");
    assert!(said.contains("Harbor phone: ") && said.contains("wrote STOP"), "{said}");
    assert!(said.contains("nothing was sent"), "{said}");
    let is_sent = || desk.outbound().iter().any(|sent| sent["content"] == "Ready at five.");
    assert!(!is_sent());
    // START is read before the files of this desk are believed.
    desk.customer("voip", ANA, "Ana", "START");
    binary.ok(&["sms", ANA, "Ready at five."], "");
    assert!(is_sent());
}

#[test]
fn how_fast_customers_were_answered_is_measured_from_what_was_seen() {
    const EVER: &str = "2020-01-01";
    let (desk, mut binary) = scene();
    binary.set("TZ", "Asia/Tokyo");
    assert_eq!(json_output(&binary, &["stats"])["all"]["cases"], 0, "no server is asked");
    let conversation = desk.customer("whatsapp", ANA, "Ana", "Is it ready?");
    desk.customer("whatsapp", "+34600111333", "Bo", "And mine?");
    let sent = json_output(&binary, &["send", &conversation, "At five.", "--pause"]);
    assert_eq!(sent["ok"], true);
    for who in [ANA, "+34600111333"] {
        binary.ok(&["show", who], "");
    }
    let levels = json_output(&binary, &["stats", "--since", EVER]);
    let all = &levels["all"];
    assert_eq!((&all["cases"], &all["unanswered"]), (&json!(2), &json!(1)), "{levels}");
    assert_eq!((&all["handedOver"], &all["handedBack"]), (&json!(1), &json!(0)));
    assert_eq!(all["firstResponse"]["count"], 1);
    let channels = levels["channels"].as_array().expect("a list");
    let counted: Vec<_> = channels.iter().map(|channel| (&channel["channel"], &channel["cases"])).collect();
    assert_eq!(counted[0], (&json!("Harbor chat"), &json!(2)));
    assert!(counted[1..].iter().all(|pair| pair.1 == 0), "{counted:?}");
    let hours: Vec<_> =
        levels["hours"].as_array().expect("a list").iter().map(|value| &value["hour"]).collect();
    let shown = binary.ok(&["stats", "--since", EVER], "");
    for hour in hours {
        assert!(shown.contains(&format!("{hour:0>2}:00")) && shown.contains("+09:00"), "{shown}");
    }
    assert_eq!(json_output(&binary, &["stats", "--channel", "Harbor phone"])["all"]["cases"], 0);
    let day = json_output(&binary, &["stats", "--since", EVER, "--until", "2020-01-02"]);
    assert_eq!(
        (&day["since"], &day["until"]),
        (&json!("2019-12-31T15:00:00.000Z"), &json!("2020-01-01T15:00:00.000Z"))
    );
    assert_eq!(day["all"]["cases"], 0);
    let said = binary.fails(2, &["stats", "--since", "monday"], "");
    assert!(said.contains("monday") && said.contains("2026-11-20"), "{said}");
}

#[test]
fn texts_and_subjects_are_found() {
    let (desk, binary) = scene();
    desk.elsewhere("voip", "POST", "/voip/sms", json!({"to": ANA, "body": "Your wheel is ready."}));
    desk.dev(
        "inbound",
        json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A bent wheel", "text": "See."}),
    );
    assert_eq!(binary.ok(&["search", "wheel"], ""), "", "no server is asked");
    binary.ok(&["list"], "");
    let found = binary.ok(&["search", "wheel"], "");
    let kinds: Vec<&str> = found.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(
        (kinds.contains(&"thread"), kinds.contains(&"phone"), kinds.len()),
        (true, true, 2),
        "{found}"
    );
    assert!(found.contains("Your wheel is ready.") && found.contains("A bent wheel"), "{found}");
    let found = json_output(&binary, &["search", "wheel", "--channel", "Harbor phone"]);
    assert_eq!(found["conversations"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["conversations"][0]["kind"], "phone");
    // Listed once, as a person.
    assert_eq!(json_output(&binary, &["search", "bo"])["conversations"], json!([]));
    // A text sent from here is listed once.
    binary.ok(&["sms", ANA, "Until seven today."], "");
    binary.ok(&["search", "seven", "--refresh"], "");
    let found = binary.ok(&["search", "seven"], "");
    assert_eq!(found.lines().count(), 1, "{found}");
}

#[test]
fn channel_of_another_kind_is_refused_with_suitable_ones() {
    let (_desk, binary) = scene();
    let said = binary.fails(2, &["mail", "account", "--channel", "Harbor chat"], "");
    let wanted = "Harbor chat is business chat; this needs a mail channel: Harbor mail";
    assert!(said.contains(wanted), "{said}");
    let said = binary.fails(2, &["webhooks", "create", "https://hooks.example.com/x"], "");
    assert!(said.contains("several chat or mail channels are configured"), "{said}");
    assert!(said.contains("--channel: Harbor chat, Harbor mail, Harbor bot"), "{said}");
}

#[test]
fn command_for_one_channel_needs_no_key_of_another() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.configure_channels(&desk, &[("whatsapp", "Harbor chat")]);
    let config = std::fs::read_to_string(binary.config()).expect("a configuration");
    let url = &desk.base_url;
    binary.configure(&format!(
        "{config}[[channel]]\nname = \"Harbor mail\"\nbase_url = \"{url}\"\nkey_env = \"NO_SUCH_KEY\"\n"
    ));
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let chat = ["--channel", "Harbor chat"];
    assert!(binary.ok(&[&["list"][..], &chat].concat(), "").contains(&id));
    binary.ok(&[&["send", &id, "Hi.", "--beside-ai"][..], &chat].concat(), "");
    assert!(binary.fails(1, &["list", "--channel", "Harbor mail"], "").contains("NO_SUCH_KEY"));
    let said = binary.fails(2, &[&["mail", "account"][..], &chat].concat(), "");
    assert!(said.contains("this needs a mail channel, and none is configured"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let output = Binary::new().command(&["--help"]).stdout(full).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains("could not write the output"), "{said}");
}

#[test]
fn closed_standard_output_is_no_failure() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    binary.ok(&["show", &id], "");
    for arguments in [
        &["--help"][..],
        &["list"],
        &["list", "--json"],
        &["show", &id],
        &["search", "hello"],
        &["export", &id],
        &["export", &id, "--format", "jsonl"],
        &["events"],
        &["account"],
    ] {
        binary.unread(arguments);
    }
}

#[test]
fn webhooks_skip_a_phone_channel_without_any() {
    let (desk, binary) = scene();
    let receiver = desk.runtime.block_on(Receiver::start());
    let create = ["webhooks", "create", &receiver.url, "--channel", "Harbor mail"];
    binary.ok(&create, "");
    let listed = json_output(&binary, &["webhooks", "list"]);
    let hooks: Vec<&Value> = listed.as_array().expect("a list").iter().collect();
    assert_eq!((hooks.len(), hooks[0]["channel"].as_str()), (1, Some("Harbor mail")), "{listed}");
    let id = hooks[0]["id"].as_str().expect("an id");
    assert!(binary.fails(1, &["webhooks", "delete", "nothing"], "").contains("`frontdesk webhooks list`"));
    binary.ok(&["webhooks", "delete", id], "");
    assert_eq!(binary.ok(&["webhooks", "list"], ""), "");
    // Naming the channel gives the reason.
    let said = binary.fails(1, &["webhooks", "list", "--channel", "Harbor phone"], "");
    assert!(said.contains("Harbor phone"), "{said}");
}

#[test]
fn a_file_is_uploaded_and_a_message_read_again() {
    let (desk, binary) = scene();
    let path = binary.folder().join("note.txt");
    std::fs::write(&path, "a note").expect("written");
    let path = path.to_string_lossy().into_owned();
    let uploaded = json_output(&binary, &["upload", &path, "--channel", "Harbor chat"]);
    assert!(uploaded["url"].as_str().is_some_and(|text| text.contains("note.txt")), "{uploaded}");
    desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let id = desk.get("whatsapp", "/messages")["data"][0]["id"].as_str().expect("an id").to_owned();
    assert!(binary.ok(&["message", &id], "").contains("Hello?"));
    assert_eq!(json_output(&binary, &["message", &id])["id"], id.as_str());
    binary.fails(1, &["message", "nobody-has-this"], "");
}

#[test]
fn several_files_are_a_message_each_and_repeated_by_key_go_on_where_they_stopped() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let path = |name: &str| binary.folder().join(name).to_string_lossy().into_owned();
    for name in ["b.txt", "a.txt", "offer.txt"] {
        std::fs::write(path(name), name).expect("written");
    }
    let (offer, others) = (path("offer.txt"), path("?.txt"));
    let send = [
        "send",
        &id,
        "Our offer.",
        "--file",
        &offer,
        "--file",
        &others,
        "--pause",
        "--idempotency-key",
        "offer",
    ];
    // The second upload is refused: the first message stays sent, and nothing of the others is queued.
    desk.dev("fault", json!({"path_prefix": "/media", "count": 1, "delay_ms": 1}));
    desk.dev("fault", json!({"path_prefix": "/media", "count": 1, "status": 413, "code": "FILE_TOO_LARGE"}));
    let refused = binary.fails(1, &send, "");
    assert!(refused.contains("2 of 3"), "{refused}");
    assert_eq!(desk.outbound().len(), 1);
    let sent = json_output(&binary, &send);
    assert_eq!(sent["earlierMessages"].as_array().map(Vec::len), Some(2), "{sent}");
    assert_eq!(sent["earlierMessages"][0]["creditsUsed"], 2.0, "{sent}");
    let outbound = desk.outbound();
    let told: Vec<_> = outbound.iter().map(|message| message["content"].as_str()).collect();
    assert_eq!(told, [Some("Our offer."), Some("a.txt"), Some("b.txt")]);
    assert_eq!(json_output(&binary, &send)["repeated"], true);
    assert_eq!(desk.outbound().len(), 3);
    assert!(binary.fails(1, &["send", &id, "--file", &path("*.pdf"), "--beside-ai"], "").contains("*.pdf"));
}

#[test]
fn a_sound_is_sent_as_a_voice_note() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    for (name, bytes) in [("note.ogg", "OggS....OpusHead"), ("note.mp3", "ID3 an mp3")] {
        std::fs::write(binary.folder().join(name), bytes).expect("written");
    }
    let path = |name: &str| binary.folder().join(name).to_string_lossy().into_owned();
    let sent =
        json_output(&binary, &["send", &id, "--file", &path("note.ogg"), "--as", "voice", "--beside-ai"]);
    let message = sent["messageId"].as_str().expect("an id");
    assert_eq!(desk.get("whatsapp", &format!("/messages/{message}"))["media"]["voice"], true);
    let refused =
        binary.fails(2, &["send", &id, "--file", &path("note.mp3"), "--as", "voice", "--beside-ai"], "");
    assert!(refused.contains("voice note"), "{refused}");
    assert_eq!(desk.outbound().len(), 1);
}

/// A mail of a customer; returns its thread.
fn thread(desk: &Desk) -> String {
    let mail = json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A wheel", "text": "Bent."});
    desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned()
}

#[test]
fn a_picture_is_sent_as_a_sticker() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    for (name, bytes) in [("bell.webp", webp(512)), ("wide.webp", webp(900)), ("bell.tgs", vec![0x1F, 0x8B])]
    {
        std::fs::write(binary.folder().join(name), bytes).expect("written");
    }
    let line = |id: &str, name: &str| {
        let path = binary.folder().join(name).to_string_lossy().into_owned();
        ["send", id, "--file", &path, "--as", "sticker", "--beside-ai"].map(str::to_owned)
    };
    let send = |id: &str, name: &str| json_output(&binary, &line(id, name).each_ref().map(String::as_str));
    let sent = send(&id, "bell.webp");
    let message = sent["messageId"].as_str().expect("an id");
    assert_eq!(desk.get("whatsapp", &format!("/messages/{message}"))["media"]["sticker"], true);
    let refused = |id: &str, name: &str, more: &[&str]| {
        binary.fails(2, &[&line(id, name).each_ref().map(String::as_str), more].concat(), "")
    };
    assert!(refused(&id, "wide.webp", &[]).contains("a sticker has 512x512 pixels, this has 900x900"));
    assert!(refused(&id, "bell.tgs", &[]).contains("only WebP"));
    assert!(refused(&id, "bell.webp", &["See?"]).contains("a sticker has no caption"));
    let bot = desk.customer("telegram", "8812", "Nadia", "hi");
    assert_eq!(send(&bot, "bell.tgs")["ok"], true);
    assert!(refused(&thread(&desk), "bell.webp", &[]).contains("email has no stickers"));
    assert_eq!(desk.outbound().len(), 2);
}

#[test]
fn a_contact_card_is_sent() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Who can help?");
    let line = ["send", &id, "--contact", "Bo Ruiz +34 600 111 333", "--company", "Harbor", "--beside-ai"];
    let sent = json_output(&binary, &line);
    let message = sent["messageId"].as_str().expect("an id");
    let whole = desk.get("whatsapp", &format!("/messages/{message}"));
    assert_eq!(whole["content"], "Bo Ruiz · Harbor · +34600111333");
    assert_eq!(whole["structure"]["contact"]["name"], "Bo Ruiz");
    assert!(binary.ok(&["show", &id], "").contains("Bo Ruiz · Harbor · +34600111333"));
    let bot = desk.customer("telegram", "8812", "Nadia", "hi");
    let line = ["send", &bot, "--contact", "Bo Ruiz +34 600 111 333", "--beside-ai"];
    assert_eq!(json_output(&binary, &line)["ok"], true);
    let fails = |line: &[&str]| binary.fails(2, &[line, &["--beside-ai"]].concat(), "");
    assert!(fails(&["send", &id, "--contact", "Bo"]).contains("a name and a number"));
    assert!(fails(&["send", &id, "Hi", "--contact", "Bo +34600111333"]).contains("a contact has no text"));
    let mail = thread(&desk);
    assert!(fails(&["send", &mail, "--contact", "Bo +34600111333"]).contains("attach a .vcf file"));
    assert_eq!(desk.outbound().len(), 2);
}

#[test]
fn link_previews_are_switched_by_text_and_by_setting() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Where?");
    let shown = |sent: &Value| {
        let message = sent["messageId"].as_str().expect("an id");
        desk.get("whatsapp", &format!("/messages/{message}"))["media"]["linkPreview"].clone()
    };
    let send = |binary: &Binary, more: &[&str]| {
        shown(&json_output(binary, &[&["send", &id, "https://shop.example", "--beside-ai"], more].concat()))
    };
    assert_eq!(send(&binary, &[]), Value::Null);
    assert_eq!(send(&binary, &["--preview"]), true);
    assert_eq!(send(&binary, &["--no-preview"]), false);
    let mail = thread(&desk);
    let refused = binary.fails(2, &["send", &mail, "Hi", "--preview", "--beside-ai"], "");
    assert!(refused.contains("email has no link previews"), "{refused}");
    let channels = std::fs::read_to_string(binary.config()).expect("read");
    binary.configure(&format!("{channels}[behaviour]\nlink_preview = true\n"));
    assert_eq!(send(&binary, &[]), true);
    assert_eq!(send(&binary, &["--no-preview"]), false);
}

#[test]
fn mail_is_sent_changed_and_looked_up() {
    let (desk, binary) = scene();
    let message = desk.dev(
        "inbound",
        json!({"channel": "email", "from": "ana@mail.example", "name": "Ana", "subject": "A wheel", "text": "Bent."}),
    );
    let thread = message["threadId"].as_str().expect("a thread").to_owned();
    let file = binary.folder().join("offer.txt");
    std::fs::write(&file, "an offer").expect("written");
    let file = file.to_string_lossy().into_owned();
    let send =
        ["mail", "send", "-", "--to", "ana@mail.example", "--subject", "Re: A wheel", "--thread", &thread];
    let sent: Value = serde_json::from_str(
        &binary.ok(&[&send[..], &["--file", &file, "--json"]].concat(), "We mend it.\n"),
    )
    .expect("JSON");
    assert!(sent["messageId"].is_string(), "{sent}");
    let said = binary.fails(2, &["mail", "send", "x", "--to", "ana at mail", "--subject", "y"], "");
    assert!(said.contains("ana at mail"), "{said}");
    binary.ok(&["mail", "change", &thread, "--star", "true", "--read", "true"], "");
    assert!(binary.fails(2, &["mail", "change", &thread], "").contains("--read, --star"));
    let found = json_output(&binary, &["mail", "contacts", "--search", "ana"]);
    assert_eq!(found[0]["email"], "ana@mail.example");
    let account = json_output(&binary, &["mail", "account"]);
    assert!(account[0]["address"].as_str().is_some_and(|account| account.contains('@')), "{account}");
}

#[test]
fn thread_is_shown_answered_and_forwarded() {
    let (desk, binary) = scene();
    let inbound = |body: Value| desk.dev("inbound", body)["threadId"].as_str().expect("a thread").to_owned();
    let thread = inbound(
        json!({"channel": "email", "from": "ana@mail.example", "name": "Ana", "subject": "A wheel", "text": "Bent."}),
    );
    let file = json!({"filename": "plan.pdf", "contentType": "application/pdf", "content": "aGVsbG8="});
    let filed =
        inbound(json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": "A plan",
            "text": "See.", "attachments": [file]}));
    let shown = binary.ok(&["mail", "show", "ana@mail.example"], "");
    for line in ["From: Ana <ana@mail.example>\n", "Subject: A wheel\n", "\n\nBent.\n"] {
        assert!(shown.contains(line), "{line:?}: {shown}");
    }
    assert!(binary.ok(&["mail", "show", &filed], "").contains("File: plan.pdf (5 B)\n"));
    let told = json_output(&binary, &["mail", "show", &thread]);
    assert_eq!((&told["thread"]["id"], &told["mails"][0]["text"]), (&json!(thread), &json!("Bent.")));
    let mail = told["mails"][0]["id"].as_str().expect("an id").to_owned();
    let last = |id: &str| {
        let read = desk.get("email", &format!("/email/threads/{id}"));
        read["messages"].as_array().and_then(|array| array.last()).expect("a mail").clone()
    };
    binary.ok(&["mail", "reply", &thread, "-", "--json"], "We mend it.\n");
    let sent = last(&thread);
    assert_eq!((&sent["to"], &sent["subject"]), (&json!(["ana@mail.example"]), &json!("Re: A wheel")));
    let text = sent["text"].as_str().expect("a text");
    assert!(text.starts_with("We mend it.\n\nOn ") && text.ends_with("> Bent."), "{text}");
    binary.ok(&["mail", "reply", &thread, "Today.", "--mail", &mail, "--no-quote"], "");
    assert_eq!(last(&thread)["text"], "Today.");
    let said = binary.fails(1, &["mail", "reply", &thread, "x", "--mail", "em_mistyped"], "");
    assert!(said.contains("the thread has no mail \"em_mistyped\""), "{said}");
    let forward = |thread: &str, more: &[&str]| {
        let asked = [&["mail", "forward", thread, "For you.", "--to", "carla@mail.example"], more].concat();
        binary.run(&asked, "")
    };
    let refused = forward(&filed, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("`--no-files`"), "{}", refused.err);
    assert_eq!(desk.outbound().len(), 2, "nothing left");
    assert_eq!(forward(&filed, &["--no-files"]).code, Some(0));
    let passed = last(&filed);
    assert_eq!((&passed["to"], &passed["subject"]), (&json!(["carla@mail.example"]), &json!("Fwd: A plan")));
    let text = passed["text"].as_str().expect("a text");
    assert!(text.starts_with("For you.") && text.contains("From: bo@mail.example"), "{text}");
    // A hit in a mail includes its subject.
    let found = self::json_output(&binary, &["search", "bent"]);
    assert_eq!(found["messages"][0]["subject"], "A wheel", "{found}");
    let found = self::json_output(&binary, &["search", "wheel"]);
    assert!(
        found["conversations"]
            .as_array()
            .is_some_and(|array| array.iter().any(|value| value["subject"] == "A wheel")),
        "{found}"
    );
}
