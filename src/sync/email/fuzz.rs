//! Random HTML mails for fuzzing the HTML-to-text conversion.

use crate::email::html::RenderedHtml;

/// Building blocks of a mail: tags, halves of tags, attributes and characters with a special meaning.
const MAIL_FRAGMENTS: [&str; 76] = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<table>",
    "</table>",
    "<tr>",
    "<td rowspan=0>",
    "<td colspan=99999>",
    "</td>",
    "<th>",
    "<ul>",
    "<ol start=-5>",
    "<li>",
    "</ul>",
    "<blockquote>",
    "</blockquote>",
    "<pre>",
    "</pre>",
    "<a href=\"",
    "<a href='https://a.example/'>",
    "</a>",
    "<img src=x ",
    "alt=\"",
    "\">",
    "'>",
    ">",
    "<",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<svg>",
    "</svg>",
    "<textarea>",
    "</textarea>",
    "<h1>",
    "</h3>",
    "<br/>",
    "<hr>",
    "<form action=//x>",
    "<input hidden>",
    "<span style=\"display:none\">",
    "</span>",
    "hidden ",
    "&amp;",
    "&#x1b;",
    "&#0;",
    "&nbsp",
    "&lt;script&gt;",
    "\u{1b}[2J",
    "\u{7}",
    "\u{9b}1m",
    "\u{202e}",
    "\u{200b}",
    "\u{0}",
    "\r\n",
    "\n",
    " ",
    "word",
    "schöne Grüße",
    "お元気ですか",
    "👩‍👩‍👧‍👦",
    "http://a.example",
    "javascript:x",
    "<meta http-equiv=refresh>",
    "<iframe src=//x>",
];

pub fn build_document(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6a09_e667_f3bc_c909;
    let mut next = |below: u64| {
        // xorshift64*, sufficient for choosing pieces.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    };
    let length = next(60) + 1;
    let mut html = String::new();
    for _ in 0..length {
        let at = usize::try_from(next(MAIL_FRAGMENTS.len() as u64)).unwrap_or(0);
        // Sometimes one piece is repeated many times.
        let times = if next(40) == 0 { next(400) + 1 } else { 1 };
        for _ in 0..times {
            html.push_str(MAIL_FRAGMENTS[at]);
        }
    }
    html
}

/// Checks that the output holds no control characters.
pub fn check_is_text(shown: &RenderedHtml) -> Result<(), String> {
    let lines = shown.links.iter().chain([&shown.text]);
    for text in lines {
        let control = text.as_str().chars().find(|character| character.is_control() && *character != '\n');
        if let Some(control) = control {
            return Err(format!("a control character came through: {control:?}"));
        }
        if text
            .as_str()
            .chars()
            .any(|character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        {
            return Err("a character that turns lines round came through".to_owned());
        }
    }
    Ok(())
}
