//! Formats amounts of money and dates. Text that cannot be parsed stays unchanged. Amounts are
//! never converted to floating point.

use crate::time::{Timestamp, Zone};

/// Formats with two decimals, grouped thousands, and the currency.
pub fn format_money(text: &str, currency: Option<&str>, minor: bool) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(part) || (minor && !part.is_empty()) {
        return text.to_owned();
    }
    let (whole, part) = match minor {
        true => {
            let padded = format!("{whole:0>3}");
            let (whole, part) = padded.split_at(padded.len() - 2);
            (whole.to_owned(), part.to_owned())
        }
        false => (whole.to_owned(), format!("{part:0<2}")),
    };
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let mut apart = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    let currency = currency.map(str::trim).filter(|text| !text.is_empty());
    let behind = currency.map(|currency| format!(" {currency}")).unwrap_or_default();
    format!("{sign}{apart}.{part}{behind}")
}

/// Formats a date, or a date with time, from ISO 8601 or an epoch timestamp.
pub fn format_date(text: &str, zone: &Zone) -> String {
    if let Ok(day) = text.parse::<jiff::civil::Date>()
        && text.len() == 10
    {
        return day.strftime("%d %b %Y").to_string();
    }
    let seconds =
        text.parse::<i64>().ok().filter(|number| (100_000_000..100_000_000_000_000).contains(number));
    // Larger numbers are milliseconds.
    let micros =
        seconds.map(|second| if second < 100_000_000_000 { second * 1_000_000 } else { second * 1_000 });
    let Some(at) = Timestamp::parse(text).or(micros.map(Timestamp::from_micros)) else {
        return text.to_owned();
    };
    format!("{} {}", at.date(zone), at.hour_and_minute(zone))
}

pub fn is_like_date(text: &str) -> bool {
    (text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()) || Timestamp::parse(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        for (text, currency, minor, shown) in [
            ("19.9", Some("EUR"), false, "19.90 EUR"),
            ("0.1", None, false, "0.10"),
            ("1234567", Some("USD"), false, "1,234,567.00 USD"),
            ("-42", Some(""), false, "-42.00"),
            ("1.005", None, false, "1.005"),
            ("123456", Some("EUR"), true, "1,234.56 EUR"),
            ("5", None, true, "0.05"),
            ("0", None, true, "0.00"),
            ("12.5", None, true, "12.5"),
            ("1e5", None, false, "1e5"),
            ("free", Some("EUR"), false, "free"),
            ("", None, false, ""),
            ("-", None, false, "-"),
        ] {
            assert_eq!(format_money(text, currency, minor), shown, "{text}");
        }
    }

    #[test]
    fn dates_are_read() {
        let berlin = Zone::from_posix_rule("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule");
        for (text, zone, shown) in [
            ("2026-11-20", &berlin, "20 Nov 2026"),
            ("2026-11-20T23:30:00Z", &berlin, "21 Nov 2026 00:30"),
            ("2026-12-31T23:30:00Z", &berlin, "01 Jan 2027 00:30"),
            ("2026-07-20T10:00:00Z", &berlin, "20 Jul 2026 12:00"),
            ("1763640000", &Zone::UTC, "20 Nov 2025 12:00"),
            ("1763640000000", &Zone::UTC, "20 Nov 2025 12:00"),
            ("tomorrow", &Zone::UTC, "tomorrow"),
            ("12", &Zone::UTC, "12"),
            ("", &Zone::UTC, ""),
        ] {
            assert_eq!(format_date(text, zone), shown, "{text}");
        }
        assert!(is_like_date("2026-11-20") && !is_like_date("1041"));
    }
}
