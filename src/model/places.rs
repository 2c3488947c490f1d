//! Parses map locations: two numbers, or a link of a map service. Pure.

use crate::outbox::content::Degrees;

const PARTS_PER_DEGREE: i64 = 10_000_000;

/// Parses an angle of at most `most` degrees in either direction.
pub fn parse_degrees(text: &str, most: i64) -> Result<Degrees, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("is required".to_owned());
    }
    let number = || "is a number such as 51.5074".to_owned();
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = rest.split_once('.').unwrap_or((rest, "0"));
    let digits =
        |text: &str| (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return Err(number());
    }
    let part: String = part.chars().chain("0000000".chars()).take(7).collect();
    let whole: i64 = whole.parse().map_err(|_| number())?;
    let part: i64 = part.parse().map_err(|_| number())?;
    let parts = whole.saturating_mul(PARTS_PER_DEGREE).saturating_add(part);
    if parts > most * PARTS_PER_DEGREE {
        return Err(format!("lies between -{most} and {most}"));
    }
    let signed = if negative { -parts } else { parts };
    i32::try_from(signed).map(Degrees).map_err(|_| number())
}

/// Parses latitude and longitude: `51.5,-0.12`, or a map link that contains them.
pub fn parse_coordinates(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let starts = ["@", "q=", "query=", "ll=", "mlat=", "geo:"];
    let rest = match text.contains("://") || text.starts_with("geo:") {
        true => starts.iter().find_map(|start| text.split_once(start).map(|(_, rest)| rest))?,
        false => text,
    };
    let rest = rest.replace("%2C", ",").replace("%2c", ",").replace("&mlon=", ",");
    let (latitude, rest) = rest.split_once([',', ';'])?;
    let end = |character: char| !(character.is_ascii_digit() || "+-. ".contains(character));
    let longitude = rest.split(end).next().unwrap_or("").trim();
    let both = (latitude.trim().to_owned(), longitude.to_owned());
    (parse_degrees(&both.0, 90).is_ok() && parse_degrees(&both.1, 180).is_ok()).then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles() {
        let cases = [
            ("51.5007", 90, Ok(515_007_000)),
            (" -0.1246 ", 180, Ok(-1_246_000)),
            ("+90", 90, Ok(900_000_000)),
            ("-180.0", 180, Ok(-1_800_000_000)),
            ("41.123456789", 90, Ok(411_234_567)),
            ("90.0000001", 90, Err("lies between -90 and 90")),
            ("", 90, Err("is required")),
            ("51,5", 90, Err("is a number")),
            ("1e3", 90, Err("is a number")),
            ("51.", 90, Err("is a number")),
            ("--1", 90, Err("is a number")),
        ];
        for (text, most, expected) in cases {
            let told = parse_degrees(text, most);
            match expected {
                Ok(parts) => assert_eq!(told, Ok(Degrees(parts)), "{text}"),
                Err(words) => assert!(told.is_err_and(|error| error.contains(words)), "{text}"),
            }
        }
    }

    #[test]
    fn two_numbers_in_one_text() {
        let cases = [
            ("51.5,-0.12", Some(("51.5", "-0.12"))),
            ("51.5, -0.12", Some(("51.5", "-0.12"))),
            ("https://maps.example/maps/@51.5007,-0.1246,17z", Some(("51.5007", "-0.1246"))),
            ("https://maps.example/?q=51.5%2C-0.12&z=3", Some(("51.5", "-0.12"))),
            ("https://map.example/?mlat=51.5&mlon=-0.12#map=1", Some(("51.5", "-0.12"))),
            ("geo:51.5,-0.12?z=3", Some(("51.5", "-0.12"))),
            ("95,10", None),
            ("51.5", None),
            ("https://maps.example/place", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
            assert_eq!(parse_coordinates(text), expected, "{text}");
        }
    }
}
