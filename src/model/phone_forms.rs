//! Alternative written forms of the same phone number.
//!
//! Four countries changed how mobile numbers are written, and platforms keep accounts under the old
//! form: Brazil added a ninth digit, Mexico dropped a 1 and Argentina a 9 or 15 between country and
//! area code, Benin put 01 before every number. [`normalize`] maps all forms of a number to one;
//! [`all_forms`] lists them. Numbers of other countries have one form.

/// Argentine area codes of three digits. 11 has two digits, all others have four.
const ARGENTINE_AREA_CODES: [&str; 39] = [
    "220", "221", "223", "230", "236", "237", "249", "260", "261", "263", "264", "266", "280", "291", "294",
    "297", "298", "299", "336", "341", "342", "343", "345", "348", "351", "353", "358", "362", "364", "370",
    "376", "379", "380", "381", "383", "385", "387", "388", "389",
];

/// Maps all forms of a number to one. Returns text that is not E.164 unchanged.
pub fn normalize(number: &str) -> String {
    let Some(digits) = number.strip_prefix('+').filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
    else {
        return number.to_owned();
    };
    let found = if let Some(rest) = digits.strip_prefix("55") {
        brazilian_form(rest).map(|text| format!("+55{text}"))
    } else if let Some(rest) = digits.strip_prefix("52") {
        mexican_form(rest).map(|text| format!("+52{text}"))
    } else if let Some(rest) = digits.strip_prefix("54") {
        argentine_form(rest).map(|text| format!("+54{text}"))
    } else if let Some(rest) = digits.strip_prefix("229") {
        beninese_form(rest).map(|text| format!("+229{text}"))
    } else {
        None
    };
    found.unwrap_or_else(|| number.to_owned())
}

/// Returns all forms of a number, starting with the given one.
pub fn all_forms(number: &str) -> Vec<String> {
    let normal = normalize(number);
    let mut all = vec![number.to_owned(), normal.clone()];
    if let Some(rest) = normal.strip_prefix("+55").filter(|text| is_long_brazilian(text)) {
        all.push(format!("+55{}{}", &rest[..2], &rest[3..]));
    } else if let Some(rest) = normal.strip_prefix("+52").filter(|text| mexican_form(text).is_some()) {
        all.push(format!("+521{rest}"));
    } else if let Some(rest) = normal.strip_prefix("+54").filter(|text| argentine_form(text).is_some()) {
        let area = area_code_digits(rest);
        all.push(format!("+549{rest}"));
        all.push(format!("+54{}15{}", &rest[..area], &rest[area..]));
        all.push(format!("+549{}15{}", &rest[..area], &rest[area..]));
    } else if let Some(rest) = normal.strip_prefix("+229").filter(|text| beninese_form(text).is_some()) {
        all.push(format!("+229{}", &rest[2..]));
    }
    let mut kept: Vec<String> = Vec::with_capacity(all.len());
    for form in all {
        if !kept.contains(&form) {
            kept.push(form);
        }
    }
    kept
}

/// Returns area code and number with the ninth digit; `None` for landlines, which start with 2 to 5
/// and have none.
fn brazilian_form(rest: &str) -> Option<String> {
    let area = rest.get(..2).filter(|text| text.bytes().all(|digit| digit != b'0'))?;
    match rest.len() {
        10 if matches!(rest.as_bytes()[2], b'6'..=b'9') => Some(format!("{area}9{}", &rest[2..])),
        11 if is_long_brazilian(rest) => Some(rest.to_owned()),
        _ => None,
    }
}

/// True for a mobile number that also has an older form without the ninth digit. If 1 to 5 follows
/// the ninth digit, the shorter form would be a landline.
fn is_long_brazilian(rest: &str) -> bool {
    rest.len() == 11 && rest.as_bytes()[2] == b'9' && matches!(rest.as_bytes()[3], b'6'..=b'9')
}

/// Returns ten digits, the first from 2 to 9, without a leading 1.
fn mexican_form(rest: &str) -> Option<String> {
    let national = if rest.len() == 11 { rest.strip_prefix('1')? } else { rest };
    let is_number = national.len() == 10 && matches!(national.as_bytes()[0], b'2'..=b'9');
    is_number.then(|| national.to_owned())
}

fn argentine_form(rest: &str) -> Option<String> {
    let is_area = |text: &str| matches!(text.as_bytes().first(), Some(b'1'..=b'3'));
    let national = match rest.len() {
        10 => rest.to_owned(),
        11 => rest.strip_prefix('9')?.to_owned(),
        12 => without_fifteen(rest)?,
        13 => without_fifteen(rest.strip_prefix('9')?)?,
        _ => return None,
    };
    is_area(&national).then_some(national)
}

fn without_fifteen(rest: &str) -> Option<String> {
    let area = area_code_digits(rest);
    let number = rest.get(area..)?.strip_prefix("15")?;
    Some(format!("{}{number}", &rest[..area]))
}

fn area_code_digits(rest: &str) -> usize {
    if rest.starts_with("11") {
        2
    } else if ARGENTINE_AREA_CODES.iter().any(|text| rest.starts_with(text)) {
        3
    } else {
        4
    }
}

/// Returns ten digits that start with 01; numbers had eight before November 2024.
fn beninese_form(rest: &str) -> Option<String> {
    match rest.len() {
        8 => Some(format!("01{rest}")),
        10 if rest.starts_with("01") => Some(rest.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The normal form, and other forms of the same number.
    const SAME: &[(&str, &[&str])] = &[
        ("+5531988887777", &["+553188887777"]),
        ("+5511987654321", &["+551187654321"]),
        ("+5585999990000", &["+558599990000"]),
        ("+5547960001111", &["+554760001111"]),
        ("+525512345678", &["+5215512345678"]),
        ("+528112345678", &["+5218112345678"]),
        ("+541123456789", &["+5491123456789", "+54111523456789", "+549111523456789"]),
        ("+543514567890", &["+5493514567890", "+54351154567890"]),
        ("+542966456789", &["+5492966456789", "+54296615456789"]),
        ("+2290190011223", &["+22990011223"]),
    ];

    #[test]
    fn forms_of_one_number_have_one_normal_form() {
        for (number, others) in SAME {
            assert_eq!(normalize(number), *number);
            for other in *others {
                assert_eq!(normalize(other), *number, "{other}");
                let all = all_forms(other);
                assert_eq!(all[0], *other, "the given form comes first");
                assert!(all.contains(&(*number).to_owned()), "{all:?}");
                assert!(all_forms(number).contains(&(*other).to_owned()), "{other} of {number}");
            }
        }
    }

    /// Numbers of different subscribers, and text that is no number.
    #[test]
    fn other_numbers_have_one_form() {
        let alone = [
            // Brazilian landlines, a mobile number that never had eight digits, and no area code.
            "+553133334444",
            "+551150001111",
            "+552122223333",
            "+5531933334444",
            "+5511950001111",
            "+553088887777",
            "+55318888777",
            "+55319888877771",
            // No Mexican numbers.
            "+521123456789",
            "+52155123456",
            // No Argentine numbers.
            "+5491123456",
            "+54912345678901",
            "+22912345",
            "+229021122334455",
            // Countries without older forms.
            "+34600111222",
            "+15550100200",
            "+447700900123",
            "+390612345678",
            "+2250700112233",
            // No phone numbers.
            "US.13491208655302741918",
            "group:Y2FwaV9ncm91cDox",
            "-100123/45",
            "553188887777",
            "+55",
            "",
        ];
        for number in alone {
            assert_eq!(normalize(number), number);
            assert_eq!(all_forms(number), [number]);
        }
    }

    #[test]
    fn a_normal_form_is_stable_and_shared() {
        for (number, others) in SAME {
            let wanted = normalize(number);
            assert_eq!(normalize(&wanted), wanted);
            for form in all_forms(number).iter().chain(all_forms(&wanted).iter()) {
                assert_eq!(normalize(form), wanted, "{form}");
            }
            assert_eq!(all_forms(number).len(), all_forms(&wanted).len(), "{others:?}");
        }
    }
}
