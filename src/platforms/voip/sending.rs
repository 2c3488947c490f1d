//! Builds API requests for messages and calls and interprets the answers.

use serde_json::Value;

use crate::contract::{CALL_KIND, OPTED_OUT_MESSAGE, OutboundMessage, SendOutcome, SimulatedDelivery};
use crate::voip::{PhonePlatform, asking};
use crate::web;
use api::errors::ErrorCode;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

/// Text spoken in a call without a message.
const DEFAULT_SPEECH: &str =
    "Hello. We would like to reach you. Please answer us with a text message to this number.";
/// Maximum length of spoken text, in characters; the platform accepts 4,000 including markup.
const MAX_SPEECH_CHARS: usize = 3_000;
const CALL_EVENTS: [&str; 4] = ["initiated", "ringing", "answered", "completed"];

impl PhonePlatform {
    /// Makes one attempt to send a text or place a call.
    pub(super) async fn send(&self, parcel: &OutboundMessage) -> SendOutcome {
        let is_call = parcel.kind == CALL_KIND;
        let script = is_call.then(|| call_script(parcel.content.as_ref()));
        let sender = match self.settings.messaging_service.as_deref().filter(|_| !is_call) {
            Some(service) => ("MessagingServiceSid", service),
            None => ("From", self.settings.number.as_str()),
        };
        let mut fields = vec![("To", parcel.to.as_str()), sender];
        match &script {
            Some(script) => fields.push(("Twiml", script)),
            None => fields.push(("Body", &parcel.text)),
        }
        // Each report returns the message's own id.
        let report = self.hook.as_ref().map(|hook| format!("{hook}?id={}", parcel.id));
        if let Some(report) = &report {
            fields.push(("StatusCallback", report));
            if is_call {
                fields.extend(CALL_EVENTS.map(|event| ("StatusCallbackEvent", event)));
            }
        }
        let answer = self.post(if is_call { "Calls.json" } else { "Messages.json" }, &fields).await;
        match answer {
            Ok(answer) => {
                let told = web::json_body(&answer);
                judge_answer(answer.status, &told).with_retry_after(answer.retry_after.as_deref())
            }
            Err(why) => SendOutcome::from_fetch_error(&why, false),
        }
    }
}

/// Builds the TwiML that speaks the message from the metadata, in its language.
fn call_script(metadata: Option<&Value>) -> String {
    let of = |name: &str| {
        metadata.and_then(|metadata| metadata[name].as_str()).map(str::trim).filter(|text| !text.is_empty())
    };
    let said: String = of("message").unwrap_or(DEFAULT_SPEECH).chars().take(MAX_SPEECH_CHARS).collect();
    let is_language = |text: &&str| {
        text.len() <= 35 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let language = of("language").filter(is_language).map(|text| format!(" language=\"{text}\""));
    format!("<Response><Say{}>{}</Say></Response>", language.unwrap_or_default(), escape_xml(&said))
}

/// Escapes a text for XML; replaces control characters.
fn escape_xml(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            character if character.is_control() => all.push(' '),
            character => all.push(character),
        }
    }
    all
}

fn judge_answer(status: u16, told: &Value) -> SendOutcome {
    let said = asking::error_text(told);
    if (200..300).contains(&status) {
        if let Some(code) = told["error_code"].as_i64().filter(|_| told["status"] == "failed") {
            let (code, broken) = loss_code(code);
            return SendOutcome::Refused { code, why: format!("the platform refused it: {said}"), broken };
        }
        return match told["sid"].as_str() {
            Some(sid) => SendOutcome::Taken {
                platform_id: sid.to_owned(),
                fate: SimulatedDelivery::Sent,
                reached: None,
            },
            None => SendOutcome::unknown("the platform accepted it but returned no id", false),
        };
    }
    let later = |after| SendOutcome::Later { after, why: format!("the platform asks to wait: {said}") };
    match told["code"].as_i64().map(error_meaning) {
        Some(ErrorMeaning::Pause(after)) => later(after),
        _ if status == 429 => later(10 * SECOND),
        Some(ErrorMeaning::Account) => account_refusal(&said),
        _ if status == 401 => account_refusal(&said),
        Some(ErrorMeaning::OptedOut) => SendOutcome::refused(ErrorCode::InvalidRecipient, OPTED_OUT_MESSAGE),
        Some(ErrorMeaning::Refused(code)) if (400..500).contains(&status) => {
            SendOutcome::refused(code, format!("the platform refused it: {said}"))
        }
        None if (400..500).contains(&status) => {
            SendOutcome::refused(ErrorCode::WhatsappError, format!("the platform answered {status}: {said}"))
        }
        _ => SendOutcome::unknown(format!("the platform answered {status}: {said}"), false),
    }
}

fn account_refusal(said: &SafeText) -> SendOutcome {
    let why = format!("the platform does not allow this number to send: {said}");
    SendOutcome::Refused { code: ErrorCode::NotConfigured, why, broken: true }
}

enum ErrorMeaning {
    /// Nothing was accepted; retry after this pause, in microseconds.
    Pause(i64),
    /// Nothing can be sent from this number.
    Account,
    /// The recipient has opted out.
    OptedOut,
    Refused(ErrorCode),
}

fn error_meaning(code: i64) -> ErrorMeaning {
    match code {
        14_107 | 20_429 | 30_022 => ErrorMeaning::Pause(10 * SECOND),
        21_611 | 30_001 => ErrorMeaning::Pause(MINUTE),
        20_003 | 20_005 | 20_008 | 21_203 | 21_210 | 21_212 | 21_213 | 21_603 | 21_606 | 21_607 | 21_659
        | 21_660 | 21_661 | 21_701 | 21_703 | 21_705 | 30_002 | 30_034 | 90_010 => ErrorMeaning::Account,
        21_610 => ErrorMeaning::OptedOut,
        13_223..=13_227
        | 21_211
        | 21_214..=21_217
        | 21_219
        | 21_265
        | 21_408
        | 21_604
        | 21_608
        | 21_612
        | 21_614
        | 30_003..=30_006 => ErrorMeaning::Refused(ErrorCode::InvalidRecipient),
        21_602 | 21_605 | 21_617 | 21_619 => ErrorMeaning::Refused(ErrorCode::ValidationError),
        _ => ErrorMeaning::Refused(ErrorCode::WhatsappError),
    }
}

/// Returns the error code for a message that was accepted and not delivered, and true if no message
/// of this number would be.
pub(super) fn loss_code(code: i64) -> (ErrorCode, bool) {
    match error_meaning(code) {
        ErrorMeaning::Account => (ErrorCode::NotConfigured, true),
        ErrorMeaning::OptedOut => (ErrorCode::InvalidRecipient, false),
        ErrorMeaning::Refused(code) => (code, false),
        ErrorMeaning::Pause(_) => (ErrorCode::WhatsappError, false),
    }
}

/// Explains why an accepted message was not delivered.
pub(super) fn loss_reason(code: i64) -> String {
    let words = match code {
        21_610 => OPTED_OUT_MESSAGE,
        30_002 => "the account is suspended",
        30_003 => "the phone cannot be reached",
        30_004 => "the number, or its network, does not accept messages from this one",
        30_005 => "the number is not known to any network",
        30_006 => "it is a landline, or its network does not support texts",
        30_007 => "the network classified it as spam",
        30_034 => "the number is not registered for business texts",
        0 => return "the platform gave no reason".to_owned(),
        _ => return format!("the platform's error {code}"),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use net::guard::FetchError;

    #[test]
    fn an_answer_says_whether_it_has_left() {
        let word = |outcome: SendOutcome| outcome.code();
        let taken = json!({"sid": "SM1", "status": "queued", "error_code": null});
        assert_eq!(word(judge_answer(201, &taken)), "taken");
        assert_eq!(word(judge_answer(201, &json!({}))), "unknown");
        let failed_at_once = json!({"sid": "SM1", "status": "failed", "error_code": 30_006});
        assert_eq!(word(judge_answer(201, &failed_at_once)), "INVALID_RECIPIENT");
        let cases = [
            (400, 21_211, "INVALID_RECIPIENT"),
            (400, 21_610, "INVALID_RECIPIENT"),
            (400, 21_614, "INVALID_RECIPIENT"),
            (400, 21_617, "VALIDATION_ERROR"),
            (400, 21_606, "NOT_CONFIGURED"),
            (400, 21_703, "NOT_CONFIGURED"),
            (401, 20_003, "NOT_CONFIGURED"),
            (403, 20_005, "NOT_CONFIGURED"),
            (429, 20_429, "later"),
            (400, 21_611, "later"),
            (400, 99_999, "WHATSAPP_ERROR"),
            (500, 20_500, "unknown"),
            (503, 20_503, "unknown"),
        ];
        for (status, code, wanted) in cases {
            assert_eq!(word(judge_answer(status, &json!({"code": code, "message": "x"}))), wanted, "{code}");
        }
        assert_eq!(word(judge_answer(404, &json!(null))), "WHATSAPP_ERROR");
        assert_eq!(word(judge_answer(502, &json!(null))), "unknown");
        assert_eq!(word(SendOutcome::from_fetch_error(&FetchError::Tls, false)), "later");
        assert_eq!(word(SendOutcome::from_fetch_error(&FetchError::TimedOut, false)), "unknown");
        assert_eq!(loss_code(30_034), (ErrorCode::NotConfigured, true));
        assert_eq!(loss_code(30_007), (ErrorCode::WhatsappError, false));
    }

    #[test]
    fn a_call_says_what_its_metadata_says_and_nothing_else() {
        let metadata = json!({"message": "Ana & Bo: <1>\u{7}", "language": "es-ES"});
        assert_eq!(
            call_script(Some(&metadata)),
            "<Response><Say language=\"es-ES\">Ana &amp; Bo: &lt;1&gt; </Say></Response>"
        );
        for nothing in [None, Some(json!({})), Some(json!({"message": " ", "language": "\"/><Play>"}))] {
            assert_eq!(
                call_script(nothing.as_ref()),
                format!("<Response><Say>{DEFAULT_SPEECH}</Say></Response>")
            );
        }
        assert!(call_script(Some(&json!({"message": "a".repeat(9_000)}))).len() < 4_000);
    }
}
