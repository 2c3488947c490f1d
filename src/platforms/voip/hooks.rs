//! Webhook calls of the platform: inbound SMS, and status reports of SMS and calls. Its lists
//! report the same in another form; both become the same updates.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use url::form_urlencoded;

use crate::contract::{
    ArrivedMedia, ArrivedMessage, CALL_KIND, CallReport, DeliveryStep, InboundMessage, InboundUpdate,
    MISSED_CALL_PREFIX, MISSED_CALL_REASON, PlatformEvent, SentTrace, StatusReport, WebhookCall,
    default_file_name,
};
use crate::voip::sending;
use crate::words::{self, read_text};
use api::carriers::PhoneSettings;
use api::extras::MessageExtras;
use model::bounds;
use model::keywords::Keyword;

/// Maximum number of files taken from one message.
pub(super) const MAX_FILES: usize = 10;
/// Shown for an SMS without text and files.
const EMPTY_TEXT: &str = "[empty SMS]";
/// Shown for a call that nobody took.
const MISSED_CALL_TEXT: &str = "Missed call";
/// Numbers that the platform gives for callers who hide theirs: ANONYMOUS, BLOCKED, RESTRICTED, UNAVAILABLE and
/// UNKNOWN in letters of a keypad.
const HIDDEN_CALLERS: [&str; 5] = ["+266696687", "+2562533", "+7378742833", "+86282452253", "+8656696"];

pub(super) struct InboundSms {
    pub id: String,
    pub from: String,
    pub text: String,
    /// Time of sending in seconds since 1970, if known.
    pub at: Option<i64>,
    /// URLs of its files, with their media types.
    pub files: Vec<(String, String)>,
    /// `STOP`, `START` or `HELP` if the platform recognized the keyword, in any language.
    pub opt_out: Option<String>,
    /// Id and label of the pressed button, if the message is a press.
    pub button: Option<(String, String)>,
}

impl InboundSms {
    pub(super) fn into_update(self) -> InboundUpdate {
        let mut body = json!({"text": {"id": self.id, "from": self.from, "text": self.text, "at": self.at, "files": self.files, "optOut": self.opt_out}});
        if let Some((payload, text)) = self.button {
            body["text"]["button"] = json!({"payload": payload, "text": text});
        }
        build_update(format!("message {}", self.id), self.from, &body)
    }
}

pub(super) struct SmsStatus {
    pub id: String,
    pub status: String,
    pub to: String,
    /// Error code of the platform.
    pub error: Option<i64>,
    /// The service's id, if known.
    pub own: Option<String>,
    /// Text of the message, if it was listed.
    pub text: Option<String>,
}

impl SmsStatus {
    pub(super) fn into_update(self) -> InboundUpdate {
        let Self { id, status, to, error, own, text } = self;
        let body = json!({"status": {
            "id": id, "status": status, "to": to, "error": error, "own": own, "text": text,
        }});
        match own {
            Some(own) => build_update(format!("{status} {id} of {own}"), to, &body),
            // The report may have to wait for its message and must not delay the customer's lane.
            None => build_update(format!("{status} {id}"), format!("status of {id}"), &body),
        }
    }
}

pub(super) struct CallStatus {
    pub id: String,
    pub status: String,
    pub to: String,
    /// Duration of the conversation.
    pub seconds: i64,
    /// The service's id, if known.
    pub own: Option<String>,
}

impl CallStatus {
    pub(super) fn into_update(self) -> InboundUpdate {
        let Self { id, status, to, seconds, own } = self;
        let body = json!({"call": {"id": id, "status": status, "to": to, "seconds": seconds, "own": own}});
        match own {
            Some(own) => build_update(format!("call {status} {id} of {own}"), to, &body),
            None => build_update(format!("call {status} {id}"), format!("call {id}"), &body),
        }
    }
}

/// Call to the number.
pub(super) struct InboundCall {
    pub id: String,
    pub from: String,
    /// Time of the call in seconds since 1970, if known.
    pub at: Option<i64>,
    pub is_missed: bool,
}

impl InboundCall {
    pub(super) fn into_update(self) -> InboundUpdate {
        let Self { id, from, at, is_missed } = self;
        let body = json!({"inboundCall": {"id": id, "from": from, "at": at, "missed": is_missed}});
        let name = if is_missed { format!("missed call {id}") } else { format!("call {id}") };
        build_update(name, from, &body)
    }
}

/// Returns true for the status of a call to the number that nobody took.
pub(super) fn is_missed(status: &str) -> bool {
    matches!(status, "no-answer" | "busy" | "canceled" | "failed")
}

fn build_update(name: String, lane: String, body: &Value) -> InboundUpdate {
    InboundUpdate { name, lane, body: body.to_string().into_bytes() }
}

/// Name of a number in a webhook call.
fn name(account: &str, number: &str) -> String {
    format!("number {number} of {account}")
}

/// Returns the names of a channel in a webhook call.
pub(super) fn own_names(settings: &PhoneSettings) -> Vec<String> {
    let service = settings.messaging_service.as_deref();
    let service = service.map(|service| service_name(&settings.account, service));
    std::iter::once(name(&settings.account, &settings.number)).chain(service).collect()
}

fn service_name(account: &str, service: &str) -> String {
    format!("messaging service {service} of {account}")
}

/// Returns the names of the number that a call addresses, and of its messaging service: the recipient of an
/// inbound SMS or call, or the sender of an SMS or call whose status is reported.
pub fn names_in_call(call: &WebhookCall<'_>) -> BTreeSet<String> {
    names_in(&fields(call))
}

fn fields(call: &WebhookCall<'_>) -> HashMap<String, String> {
    form_urlencoded::parse(call.body).into_owned().collect()
}

fn names_in(fields: &HashMap<String, String>) -> BTreeSet<String> {
    let Some(account) = fields.get("AccountSid") else { return BTreeSet::new() };
    let is_text = fields.contains_key("MessageSid") && !fields.contains_key("MessageStatus");
    let number = fields.get(if is_text || is_inbound_call(fields) { "To" } else { "From" });
    let service = fields.get("MessagingServiceSid").filter(|service| !service.is_empty());
    let number = number.map(|number| name(account, number));
    number.into_iter().chain(service.map(|service| service_name(account, service))).collect()
}

fn is_inbound_call(fields: &HashMap<String, String>) -> bool {
    fields.contains_key("CallSid") && fields.get("Direction").is_some_and(|direction| direction == "inbound")
}

/// Returns true if the platform asks what to do with a call that rings. Reports of a status have a number.
fn is_ringing(fields: &HashMap<String, String>) -> bool {
    let is_report = fields.contains_key("SequenceNumber") || fields.contains_key("DialCallStatus");
    is_inbound_call(fields)
        && !is_report
        && fields.get("CallStatus").is_some_and(|status| status == "ringing")
}

/// Returns the instructions that a webhook call expects. Nobody takes calls here, so that the line of a call that
/// rings is busy.
pub(super) fn response(call: &WebhookCall<'_>) -> &'static str {
    match is_ringing(&fields(call)) {
        // Without a reason the platform says that the number is not in service.
        true => "<Response><Reject reason=\"busy\"/></Response>",
        false => "<Response/>",
    }
}

/// Splits a call for this number into updates.
pub(super) fn split_call(settings: &PhoneSettings, call: &WebhookCall<'_>) -> Vec<InboundUpdate> {
    let fields = fields(call);
    let of = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let names = names_in(&fields);
    if !own_names(settings).iter().any(|name| names.contains(name)) {
        return Vec::new();
    }
    let own = form_urlencoded::parse(call.query.as_bytes()).find(|(name, _)| name == "id");
    let own = own.map(|(_, id)| id.into_owned());
    let (message, call) = (of("MessageSid"), of("CallSid"));
    let told = if !message.is_empty() && fields.contains_key("MessageStatus") {
        let error = of("ErrorCode").parse().ok();
        let (status, to) = (of("MessageStatus"), of("To"));
        Some(SmsStatus { id: message, status, to, error, own, text: None }.into_update())
    } else if !message.is_empty() {
        let count = of("NumMedia").parse().unwrap_or(0).min(MAX_FILES);
        let file = |at: usize| (of(&format!("MediaUrl{at}")), of(&format!("MediaContentType{at}")));
        let files = (0..count).map(file).filter(|(address, _)| !address.is_empty()).collect();
        let opt_out = fields.get("OptOutType").cloned();
        let button = fields.get("ButtonPayload").map(|payload| (payload.clone(), of("ButtonText")));
        let words = if of("Body").is_empty() { of("ButtonText") } else { of("Body") };
        let text = with_place(words, &of);
        Some(
            InboundSms { id: message, from: of("From"), text, at: None, files, opt_out, button }
                .into_update(),
        )
    } else if is_inbound_call(&fields) {
        // How the forwarding of a call ended says more than the state of the call that is forwarded.
        let status = fields.get("DialCallStatus").or_else(|| fields.get("CallStatus"));
        let is_missed = is_ringing(&fields) || status.is_some_and(|status| is_missed(status));
        Some(InboundCall { id: call, from: of("From"), at: None, is_missed }.into_update())
    } else if !call.is_empty() {
        let seconds = of("CallDuration").parse().unwrap_or(0);
        Some(CallStatus { id: call, status: of("CallStatus"), to: of("To"), seconds, own }.into_update())
    } else {
        None
    };
    told.into_iter().collect()
}

/// Appends the place that a message shows to its text.
fn with_place(words: String, of: &impl Fn(&str) -> String) -> String {
    let (latitude, longitude) = (of("Latitude"), of("Longitude"));
    if latitude.is_empty() || longitude.is_empty() {
        return words;
    }
    let place = format!("{latitude}, {longitude}");
    let all = [words, of("Label"), of("Address"), place].map(Some);
    words::join_parts(all)
}

/// Parses an update; empty if nothing in it is stored.
pub(super) fn parse_update(piece: &Value) -> Vec<PlatformEvent> {
    if piece["text"].is_object() {
        return read_arrival(&piece["text"]);
    }
    if piece["inboundCall"].is_object() {
        return read_missed_call(&piece["inboundCall"]).into_iter().collect();
    }
    let event =
        if piece["status"].is_object() { status(&piece["status"]) } else { read_call(&piece["call"]) };
    event.into_iter().collect()
}

/// A message with several files becomes one message per file.
fn read_arrival(told: &Value) -> Vec<PlatformEvent> {
    let (Some(id), Some(from)) = (read_text(&told["id"]), read_text(&told["from"])) else {
        return Vec::new();
    };
    let said = read_text(&told["text"]).unwrap_or_default();
    let files: Vec<(String, String)> = serde_json::from_value(told["files"].clone()).unwrap_or_default();
    let said = if said.is_empty() && files.is_empty() { EMPTY_TEXT.to_owned() } else { said };
    let one = |at: usize, file: Option<&(String, String)>| {
        let kind = file.map_or("text", |(_, kind)| message_kind(kind));
        let inbound = InboundMessage {
            from: from.clone(),
            text: if at == 0 { said.clone() } else { String::new() },
            kind: kind.to_owned(),
            sent_at: words::read_time(&told["at"]),
            platform_id: Some(if at == 0 { id.clone() } else { format!("{id}/{at}") }),
            keyword: if at == 0 { read_keyword(&told["optOut"]) } else { None },
            // A sender without a phone number is automated.
            needs_no_answer: !bounds::is_e164(&from),
            extras: if at == 0 { read_button(&told["button"]) } else { MessageExtras::default() },
            ..InboundMessage::default()
        };
        let media = file.map(|(address, kind)| ArrivedMedia {
            reference: address.clone(),
            name: file_name(kind),
            mime_type: Some(kind.clone()).filter(|kind| !kind.is_empty()),
            size: None,
        });
        PlatformEvent::Message(Box::new(ArrivedMessage { inbound, media, ..ArrivedMessage::default() }))
    };
    match files.as_slice() {
        [] => vec![one(0, None)],
        files => files.iter().enumerate().map(|(at, file)| one(at, Some(file))).collect(),
    }
}

/// Keeps the id of a pressed button beside its label.
fn read_button(told: &Value) -> MessageExtras {
    match told.is_object() {
        true => MessageExtras::from_structure(json!({ "button": told })),
        false => MessageExtras::default(),
    }
}

/// Reads a call that nobody took; `None` for other calls, and for callers who cannot be called back.
fn read_missed_call(told: &Value) -> Option<PlatformEvent> {
    let can_be_called = |from: &String| bounds::is_e164(from) && !HIDDEN_CALLERS.contains(&from.as_str());
    let from = read_text(&told["from"]).filter(|from| told["missed"] == true && can_be_called(from))?;
    let inbound = InboundMessage {
        from,
        text: MISSED_CALL_TEXT.to_owned(),
        kind: CALL_KIND.to_owned(),
        sent_at: words::read_time(&told["at"]),
        platform_id: Some(format!("{MISSED_CALL_PREFIX}{}", read_text(&told["id"])?)),
        needs_no_answer: true,
        asks_for_person: Some(MISSED_CALL_REASON),
        ..InboundMessage::default()
    };
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() })))
}

fn read_keyword(told: &Value) -> Option<Keyword> {
    match told.as_str()?.trim().to_ascii_uppercase().as_str() {
        "STOP" => Some(Keyword::Stop),
        "START" => Some(Keyword::Start),
        "HELP" => Some(Keyword::Help),
        _ => None,
    }
}

fn message_kind(media_type: &str) -> &'static str {
    match media_type.to_ascii_lowercase().split('/').next() {
        Some("image") => "image",
        Some("video") => "video",
        Some("audio") => "audio",
        _ => "document",
    }
}

fn file_name(media_type: &str) -> String {
    let ending = media_type.split(['/', ';']).nth(1).unwrap_or("").trim();
    let is_plain = !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let ending = if is_plain { ending } else { "bin" };
    default_file_name(&format!("{}.{ending}", message_kind(media_type)), Some(media_type))
}

fn status(told: &Value) -> Option<PlatformEvent> {
    let step = match told["status"].as_str()? {
        "accepted" | "queued" | "sending" | "sent" => DeliveryStep::Sent,
        "delivered" => DeliveryStep::Delivered,
        "read" => DeliveryStep::Read,
        "failed" | "undelivered" => {
            let error = told["error"].as_i64().unwrap_or(0);
            let (code, broken) = sending::loss_code(error);
            DeliveryStep::Failed { code, why: sending::loss_reason(error), broken }
        }
        _ => return None,
    };
    let trace = read_text(&told["to"]).zip(read_text(&told["text"]));
    Some(PlatformEvent::Status(StatusReport {
        platform_id: read_text(&told["id"])?,
        own_id: read_text(&told["own"]),
        step,
        reached: None,
        recipient_id: None,
        trace: trace.map(|(to, text)| SentTrace { to, text }),
    }))
}

fn read_call(told: &Value) -> Option<PlatformEvent> {
    let status = match told["status"].as_str()? {
        "queued" | "initiated" => "queued",
        "ringing" => "ringing",
        "in-progress" => "in_progress",
        "completed" => "completed",
        "busy" | "no-answer" | "failed" | "canceled" => "failed",
        _ => return None,
    };
    Some(PlatformEvent::Call(CallReport {
        platform_id: read_text(&told["id"])?,
        own_id: read_text(&told["own"]),
        to: read_text(&told["to"])?,
        status,
        seconds: told["seconds"].as_i64().unwrap_or(0).max(0),
    }))
}

#[cfg(test)]
mod tests {
    use api::errors::ErrorCode;
    use hyper::HeaderMap;

    use super::*;

    fn status_events(query: &str, fields: &[(&str, &str)]) -> Vec<PlatformEvent> {
        let settings = PhoneSettings {
            account: "AC1".to_owned(),
            number: "+15550100200".to_owned(),
            ..PhoneSettings::default()
        };
        let both = [fields, &[("AccountSid", "AC1")]].concat();
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(both).finish();
        let headers = HeaderMap::new();
        let pieces = split_call(&settings, &WebhookCall { query, headers: &headers, body: body.as_bytes() });
        let read = |hook_piece: &InboundUpdate| {
            parse_update(&serde_json::from_slice(&hook_piece.body).expect("JSON"))
        };
        pieces.iter().flat_map(read).collect()
    }

    fn texts(fields: &[(&str, &str)]) -> Vec<ArrivedMessage> {
        let both = [fields, &[("MessageSid", "SM1"), ("To", "+15550100200")]].concat();
        let message = |platform_event| match platform_event {
            PlatformEvent::Message(message) => *message,
            other => panic!("{other:?}"),
        };
        status_events("", &both).into_iter().map(message).collect()
    }

    #[test]
    fn a_text_comes_in_with_its_files() {
        let plain = texts(&[("From", "+34600111222"), ("Body", "hi\u{0} & bye"), ("NumMedia", "0")]);
        let inbound = &plain[0].inbound;
        assert_eq!((inbound.text.as_str(), inbound.from.as_str()), ("hi & bye", "+34600111222"));
        assert_eq!((inbound.kind.as_str(), inbound.needs_no_answer), ("text", false));
        let files = [
            ("From", "+34600111222"),
            ("Body", "look"),
            ("NumMedia", "2"),
            ("MediaUrl0", "https://a.example/0"),
            ("MediaContentType0", "image/jpeg"),
            ("MediaUrl1", "https://a.example/1"),
            ("MediaContentType1", "text/x-vcard"),
        ];
        let both = texts(&files);
        let shown = |arrived_message: &ArrivedMessage| {
            (
                arrived_message.inbound.kind.clone(),
                arrived_message.inbound.text.clone(),
                arrived_message.media.clone().expect("a file").name,
            )
        };
        assert_eq!(shown(&both[0]), ("image".to_owned(), "look".to_owned(), "image.jpg".to_owned()));
        assert_eq!(shown(&both[1]), ("document".to_owned(), String::new(), "document.vcf".to_owned()));
        assert_ne!(both[0].inbound.platform_id, both[1].inbound.platform_id);
        assert!(texts(&[("From", "HARBOR"), ("Body", "Your code is 1")])[0].inbound.needs_no_answer);
        assert_eq!(texts(&[("From", "+34600111222"), ("Body", "")])[0].inbound.text, "[empty SMS]");
    }

    #[test]
    fn call_that_nobody_took_is_one_message_that_asks_for_a_person() {
        let call = |more: &[(&str, &str)]| {
            let own = [("CallSid", "CA2"), ("To", "+15550100200"), ("Direction", "inbound")];
            status_events("", &[&own[..], more].concat())
        };
        let ana = ("From", "+34600111222");
        for missed in [
            &[ana, ("CallStatus", "no-answer"), ("CallDuration", "0")][..],
            &[ana, ("CallStatus", "busy")],
            &[ana, ("CallStatus", "canceled")],
            &[ana, ("CallStatus", "ringing")],
            &[ana, ("CallStatus", "in-progress"), ("DialCallStatus", "no-answer")],
        ] {
            let Some(PlatformEvent::Message(message)) = call(missed).pop() else { panic!("{missed:?}") };
            let inbound = &message.inbound;
            assert_eq!((inbound.from.as_str(), inbound.kind.as_str()), ("+34600111222", CALL_KIND));
            assert_eq!(
                (inbound.text.as_str(), inbound.platform_id.as_deref()),
                ("Missed call", Some("missed CA2"))
            );
            assert_eq!(inbound.asks_for_person, Some(MISSED_CALL_REASON));
            assert!(inbound.needs_no_answer);
        }
        for other in [
            &[ana, ("CallStatus", "completed"), ("CallDuration", "12")][..],
            &[ana, ("CallStatus", "ringing"), ("SequenceNumber", "1")],
            &[ana, ("CallStatus", "completed"), ("DialCallStatus", "completed")],
            &[("From", "+266696687"), ("CallStatus", "no-answer")],
            &[("From", "sip:ana@pbx.example"), ("CallStatus", "no-answer")],
        ] {
            assert!(call(other).is_empty(), "{other:?}");
        }
    }

    #[test]
    fn text_to_a_messaging_service_is_for_its_channel() {
        let settings = |service: Option<&str>| PhoneSettings {
            account: "AC1".to_owned(),
            number: "+15550100200".to_owned(),
            messaging_service: service.map(str::to_owned),
            ..PhoneSettings::default()
        };
        let headers = HeaderMap::new();
        let is_for = |service: Option<&str>, body: &str| {
            let call = WebhookCall { query: "id=msg_1", headers: &headers, body: body.as_bytes() };
            !split_call(&settings(service), &call).is_empty()
        };
        let other_number = "AccountSid=AC1&MessageSid=SM1&From=%2B34600111222&To=%2B15550100201&Body=hi";
        let of_service = format!("{other_number}&MessagingServiceSid=MG1");
        assert!(is_for(Some("MG1"), &of_service) && !is_for(Some("MG2"), &of_service));
        assert!(!is_for(None, &of_service) && !is_for(Some("MG1"), other_number));
        let own_number = of_service.replace("201", "200");
        assert!(is_for(None, &own_number) && is_for(Some("MG2"), &own_number));
        // The platform has not chosen a number yet.
        let status =
            "AccountSid=AC1&MessageSid=SM1&To=%2B34600111222&MessageStatus=sent&MessagingServiceSid=MG1";
        assert!(is_for(Some("MG1"), status) && !is_for(Some("MG2"), status));
        assert!(!is_for(Some("MG1"), &of_service.replace("AC1", "AC2")), "of another account");
    }

    #[test]
    fn call_that_rings_here_is_refused() {
        let headers = HeaderMap::new();
        let answer =
            |body: &str| response(&WebhookCall { query: "", headers: &headers, body: body.as_bytes() });
        let ringing = "CallSid=CA2&Direction=inbound&CallStatus=ringing";
        assert_eq!(answer(ringing), "<Response><Reject reason=\"busy\"/></Response>");
        assert_eq!(answer(&format!("{ringing}&SequenceNumber=1")), "<Response/>");
        assert_eq!(answer("CallSid=CA1&Direction=outbound-api&CallStatus=ringing"), "<Response/>");
        assert_eq!(answer("MessageSid=SM1&Body=hi"), "<Response/>");
    }

    #[test]
    fn what_became_of_a_text_or_call_says_whose_it_is() {
        let status = |word: &str, error: &str| {
            let fields = [
                ("MessageSid", "SM1"),
                ("MessageStatus", word),
                ("From", "+15550100200"),
                ("To", "+34"),
                ("ErrorCode", error),
            ];
            match status_events("id=msg_1", &fields).pop() {
                Some(PlatformEvent::Status(report)) => report,
                other => panic!("{other:?}"),
            }
        };
        let delivered = status("delivered", "");
        assert_eq!((delivered.own_id.as_deref(), delivered.step), (Some("msg_1"), DeliveryStep::Delivered));
        let DeliveryStep::Failed { code, why, broken } = status("undelivered", "30006").step else {
            panic!("it failed")
        };
        assert_eq!((code, broken), (ErrorCode::InvalidRecipient, false));
        assert!(why.contains("landline"), "{why}");
        let call = [("CallSid", "CA1"), ("From", "+15550100200"), ("To", "+34"), ("CallStatus", "no-answer")];
        let Some(PlatformEvent::Call(report)) = status_events("id=call_1", &call).pop() else {
            panic!("a call")
        };
        assert_eq!((report.own_id.as_deref(), report.status, report.seconds), (Some("call_1"), "failed", 0));
        let inbound =
            [("CallSid", "CA2"), ("From", "+34"), ("To", "+15550100200"), ("CallStatus", "ringing")];
        assert!(status_events("", &inbound).is_empty(), "somebody calls");
        let other = [("MessageSid", "SM1"), ("From", "+34"), ("To", "+15550100999"), ("Body", "x")];
        assert!(status_events("", &other).is_empty(), "another number of the account");
        let other =
            [("MessageSid", "SM1"), ("From", "+15550100999"), ("To", "+34"), ("MessageStatus", "sent")];
        assert!(status_events("id=msg_1", &other).is_empty(), "status of another number's text");
    }
}
