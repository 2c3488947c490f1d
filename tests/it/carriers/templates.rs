//! Templates of a connected number: submitted, reviewed and deleted at the platform.

use frontdesk::model::time::Clock;
use frontdesk::platforms::{Channel, Template};
use frontdesk::service::admin::{AdminError, ChannelChoice};
use frontdesk::service::carriers::dashboard::TemplateRemoval;
use frontdesk::service::{AssistantChoice, DatabaseLocation};
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::numbers;
use super::stand_in::Wrong;
use super::{Served, dashboard};
use crate::binary::Binary;
use crate::waiting::{aside, until_found};

const WHATSAPP: ChannelChoice = ChannelChoice::Kind(Channel::Whatsapp);

pub fn draft(name: &str, text: &str) -> Template {
    Template {
        name: name.to_owned(),
        language: "en_US".to_owned(),
        category: "UTILITY".to_owned(),
        components: json!([{"type": "BODY", "text": text}]).to_string(),
        ..Template::default()
    }
}

pub(super) async fn submit(served: &Served, template: Template) -> Result<Template, AdminError> {
    let admin = dashboard(&served.options).await;
    let submitted = admin.submit_template(WHATSAPP, template, SystemClock.now()).await;
    admin.close();
    submitted.map(|submitted| submitted.template)
}

async fn remove(served: &Served, name: &str, language: &str) -> Result<TemplateRemoval, AdminError> {
    let admin = dashboard(&served.options).await;
    let removed = admin.remove_template(WHATSAPP, (name, language), SystemClock.now()).await;
    admin.close();
    removed
}

fn named<'a>(listed: &'a Value, list: &str, name: &str) -> Option<&'a Value> {
    listed[list].as_array()?.iter().find(|template| template["name"] == name)
}

async fn until_listed(served: &Served, list: &str, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    until_found(name, async || {
        let listed = served.get("/templates").await;
        named(&listed, list, name).filter(|template| wanted(template)).cloned().ok_or(listed)
    })
    .await
}

/// Runs `admin template list` on the service's database.
async fn list(served: &Served, json: bool) -> String {
    let place = match &served.options.database {
        DatabaseLocation::Server(url) => url.expose().to_owned(),
        file => file.to_string(),
    };
    let key = served.options.key_file.clone().map(|path| path.display().to_string());
    aside(move || {
        let mut arguments = vec!["admin", "--db", &place, "template", "list"];
        arguments.extend(key.iter().flat_map(|key| ["--key-file", key]));
        arguments.extend(json.then_some("--json"));
        Binary::new().ok(&arguments, "")
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn submitted_template_is_offered_once_it_is_approved() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let accepted = submit(&served, draft("order_late", "Hi {{first_name}}, it is late.")).await;
    let accepted = accepted.expect("submitted");
    assert_eq!((accepted.status.as_str(), accepted.category.as_str()), ("PENDING", "UTILITY"));
    let [kept] = &number.templates()[..] else { panic!("one template") };
    assert_eq!(kept["parameter_format"], "named");
    assert_eq!(kept["components"], json!([{"type": "BODY", "text": "Hi {{first_name}}, it is late."}]));
    let listed = served.get("/templates").await;
    assert!(named(&listed, "data", "order_late").is_none(), "{listed}");
    assert_eq!(named(&listed, "notApproved", "order_late").expect("listed")["status"], "PENDING");
    number.reviews("order_late", "APPROVED", "NONE", &Value::Null);
    until_listed(&served, "data", "order_late", |template| template["status"] == "APPROVED").await;
    let sale = submit(&served, draft("summer", "Our sale begins today.")).await.expect("submitted");
    assert_eq!(sale.category, "MARKETING", "the platform chooses the category");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_submission_says_why_and_what_to_do() {
    let number = NumberServer::start();
    number.set_templates(&[numbers::template("order_ready", "APPROVED")]);
    let served = Served::number(&number, AssistantChoice::Off).await;
    let refusal = async |template: Template| match submit(&served, template).await {
        Err(AdminError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    let why = refusal(draft("order_ready", "It is ready.")).await;
    for words in ["Content in this language already exists", "`admin template remove`"] {
        assert!(why.contains(words), "{why}");
    }
    let why = refusal(draft("order_late", "It is late, {{1}}!")).await;
    assert!(why.contains("Variables can't be at the start or end; put words before"), "{why}");
    let why = refusal(Template { components: "{}".to_owned(), ..draft("order_late", "") }).await;
    assert!(why.contains("must be a list"), "{why}");
    number.plan(|method| (method == "submission").then_some(Wrong::TooMany));
    let why = refusal(draft("order_late", "It is late.")).await;
    assert!(why.contains("asks to wait"), "{why}");
    number.nothing_goes_wrong();
    number.revoke();
    let why = refusal(draft("order_late", "It is late.")).await;
    assert!(why.contains("does not accept the access token"), "{why}");
    assert_eq!(number.templates().len(), 1);
    assert!(named(&served.get("/templates").await, "notApproved", "order_late").is_none());

    let admin = dashboard(&served.options).await;
    let now = SystemClock.now();
    admin.disconnect(Channel::Whatsapp, now).await.expect("disconnected");
    let why = refusal(draft("order_late", "It is late.")).await;
    for words in ["`admin channel connect whatsapp`", "`admin template put`"] {
        assert!(why.contains(words), "{why}");
    }
    let bot = ChannelChoice::Kind(Channel::Telegram);
    let why = admin.submit_template(bot, draft("order_late", "It is late."), now).await.expect_err("a bot");
    assert!(why.to_string().contains("the channel telegram has no templates"), "{why}");
    admin.close();
}

/// Submits a template as a desk does.
async fn submit_with_key(served: &Served, key: &str, name: &str, idem: Option<&str>) -> (u16, Value) {
    let components = json!([{"type": "BODY", "text": "It is late."}]);
    let body = json!({"name": name, "language": "en_US", "category": "UTILITY", "components": components});
    let url = format!("{}/desk/v1/templates", served.running.base_url.trim_end_matches("/v1"));
    let mut request = served.http.post(url).bearer_auth(&served.keys[key]);
    if let Some(idem) = idem {
        request = request.header("idempotency-key", idem);
    }
    let request = request.header("content-type", "application/json").body(body.to_string());
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    let text = answer.text().await.expect("a body");
    (status, serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn desk_submits_a_template_with_the_key_of_its_channel() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let (status, told) = submit_with_key(&served, "whatsapp live", "order_late", Some("once")).await;
    assert_eq!((status, &told["template"]["status"]), (200, &json!("PENDING")), "{told}");
    assert_eq!(number.templates().len(), 1);
    let listed = served.get("/templates").await;
    assert_eq!(named(&listed, "notApproved", "order_late").expect("listed")["status"], "PENDING");
    let again = submit_with_key(&served, "whatsapp live", "order_late", Some("once")).await;
    assert_eq!(again, (200, told), "the same answer to the same request");
    let (status, told) = submit_with_key(&served, "whatsapp live", "order_late", None).await;
    assert_eq!((status, &told["code"]), (400, &json!("TEMPLATE_ERROR")), "{told}");
    assert!(told["message"].as_str().is_some_and(|why| why.contains("already exists")), "{told}");
    let (status, told) = submit_with_key(&served, "whatsapp test", "order_late", None).await;
    assert_eq!((status, &told["code"]), (400, &json!("TEMPLATE_ERROR")), "{told}");
    assert!(told["message"].as_str().is_some_and(|why| why.contains("already has this template")), "{told}");
    let (status, told) = submit_with_key(&served, "whatsapp test", "order_test", None).await;
    assert_eq!((status, &told["test"]), (200, &json!(true)), "{told}");
    let (status, told) = submit_with_key(&served, "whatsapp live", "Order late", None).await;
    assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
    let (status, told) = submit_with_key(&served, "telegram live", "order_bot", None).await;
    assert_eq!((status, &told["code"]), (403, &json!("FORBIDDEN")), "{told}");
    assert_eq!(number.templates().len(), 1);
    // A repetition of a submission without an answer is refused, and the list shows the template.
    number.plan(|method| (method == "submission").then_some(Wrong::CutAfter));
    let (status, told) = submit_with_key(&served, "whatsapp live", "order_lost", Some("cut")).await;
    assert_eq!((status, &told["code"]), (500, &json!("INTERNAL_ERROR")), "{told}");
    number.nothing_goes_wrong();
    let (status, told) = until_found("the request to end", async || {
        let (status, told) = submit_with_key(&served, "whatsapp live", "order_lost", Some("cut")).await;
        if status == 409 { Err(told) } else { Ok((status, told)) }
    })
    .await;
    assert_eq!((status, &told["code"]), (400, &json!("TEMPLATE_ERROR")), "{told}");
    until_listed(&served, "notApproved", "order_lost", |template| template["status"] == "PENDING").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn submission_without_an_answer_is_settled_by_the_next_reading() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.plan(|method| (method == "submission").then_some(Wrong::CutAfter));
    let unknown = submit(&served, draft("order_late", "It is late.")).await;
    let Err(AdminError::Unknown(why)) = unknown else { panic!("{unknown:?}") };
    assert!(why.contains("it may have the template"), "{why}");
    until_listed(&served, "notApproved", "order_late", |template| template["status"] == "PENDING").await;
    // A failing platform may have made the template.
    number.plan(|method| (method == "submission").then_some(Wrong::Failed));
    let unknown = submit(&served, draft("order_lost", "It is lost.")).await;
    assert!(matches!(unknown, Err(AdminError::Unknown(_))), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reason_of_a_rejection_is_stored_and_listed() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    for name in ["order_late", "order_lost"] {
        submit(&served, draft(name, "Hi {{1}}{{2}}, it is late.")).await.expect("submitted");
    }
    let explained = json!({"reason": "Two variables touch.", "recommendation": "Put words between them."});
    number.reviews("order_late", "REJECTED", "INVALID_FORMAT", &explained);
    number.reviews("order_lost", "REJECTED", "SCAM", &Value::Null);
    let reason = "INVALID_FORMAT: Two variables touch. Put words between them.";
    let is_rejected = |reason: &'static str| {
        move |template: &Value| template["status"] == "REJECTED" && template["rejectedReason"] == reason
    };
    until_listed(&served, "notApproved", "order_late", is_rejected(reason)).await;
    until_listed(&served, "notApproved", "order_lost", is_rejected("SCAM")).await;
    let told = list(&served, false).await;
    for words in [
        format!("order_late\ten_US\tUTILITY\tREJECTED\t{reason}\n"),
        "REJECTED\tSCAM (the platform takes the text for fraud; write another one)".to_owned(),
    ] {
        assert!(told.contains(&words), "{told}");
    }
    let told: Value = serde_json::from_str(&list(&served, true).await).expect("JSON");
    assert_eq!(told[0]["reason"], reason, "{told}");
    // The list of templates has reasons, too; `NONE` is none.
    let mut rejected = numbers::template("order_sent", "REJECTED");
    rejected["rejected_reason"] = "TAG_CONTENT_MISMATCH".into();
    let mut approved = numbers::template("order_ready", "APPROVED");
    approved["rejected_reason"] = "NONE".into();
    number.set_templates(&[rejected, approved]);
    number.changes("message_template_status_update");
    until_listed(&served, "notApproved", "order_sent", is_rejected("TAG_CONTENT_MISMATCH")).await;
    let listed = served.get("/templates").await;
    assert_eq!(named(&listed, "data", "order_ready").expect("listed").get("rejectedReason"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_template_is_deleted_at_the_platform_in_its_language() {
    let number = NumberServer::start();
    let mut spanish = numbers::template("order_ready", "APPROVED");
    spanish["language"] = "es".into();
    let english = numbers::template("order_ready", "APPROVED");
    let longer = numbers::template("order_ready_2", "APPROVED");
    number.set_templates(&[longer.clone(), spanish.clone(), english]);
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.plan(|method| (method == "deletion").then_some(Wrong::Failed));
    let why = remove(&served, "order_ready", "en_US").await.expect_err("refused").to_string();
    assert!(why.contains("the platform answered 500"), "{why}");
    assert!(list(&served, false).await.contains("order_ready\ten_US"), "nothing was removed");
    // The service cannot read the account, so its list stays as the removals leave it.
    number.plan(|method| (method == "record").then_some(Wrong::Failed));
    let removed = remove(&served, "order_ready", "en_US").await.expect("removed");
    assert_eq!((removed, number.templates()), (TemplateRemoval::Platform, vec![longer, spanish]));
    assert!(!list(&served, false).await.contains("order_ready\ten_US"));
    let absent = remove(&served, "order_ready", "en_US").await;
    assert!(matches!(absent, Err(AdminError::Absent(_))), "{absent:?}");

    // A template that the service alone has.
    let admin = dashboard(&served.options).await;
    admin.put_template(WHATSAPP, draft("only_here", "Hello"), SystemClock.now()).await.expect("stored");
    admin.close();
    assert_eq!(remove(&served, "only_here", "en_US").await.expect("removed"), TemplateRemoval::Here);
}
