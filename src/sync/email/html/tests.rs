//! Tests of the HTML-to-text conversion, hostile mails included.

use super::*;
use crate::email::fuzz;

fn plain(html: &str) -> String {
    html_to_text(html).text.to_string()
}

#[test]
fn what_text_can_show_is_shown() {
    let cases = [
        ("<p>Hello</p><p>there</p>", "Hello\n\nthere"),
        ("a<br>b", "a\nb"),
        ("<ul><li>one</li><li>two</li></ul>", "* one\n* two"),
        ("<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("<blockquote>said</blockquote>", "> said"),
        ("<h1>Big</h1>small", "### Big\n\nsmall"),
        ("<b>bold</b> and <i>not</i>", "bold and not"),
        ("1 &lt; 2 &amp; 3&nbsp;&euro;", "1 < 2 & 3 €"),
        (
            "<table><tr><td>Bell</td><td>€8</td></tr><tr><td>Lamp</td><td>€20</td></tr></table>",
            "Bell · €8\nLamp · €20",
        ),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("", ""),
        ("no tags at all", "no tags at all"),
    ];
    for (html, shown) in cases {
        assert_eq!(plain(html), shown, "{html}");
    }
}

#[test]
fn links_say_where_they_lead() {
    let shown = html_to_text(
        r#"<a href="https://shop.example/a?b=1">our shop</a>, <a href="https://evil.example/">www.bank.example</a>"#,
    );
    let text = shown.text.as_str();
    assert!(text.contains("our shop [1: shop.example]"), "{text}");
    assert!(text.contains("www.bank.example [2: evil.example, NOT what it says]"), "{text}");
    assert!(text.contains("[2] NOT WHERE ITS TEXT SAYS: https://evil.example/"), "{text}");
    assert_eq!(shown.links[0].as_str(), "https://shop.example/a?b=1");
    for href in
        ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "JaVaScript:x"]
    {
        let shown = text_of_link(href);
        assert!(shown.contains("cannot be opened"), "{shown}");
    }
    assert!(
        text_of_link("https://x.example/\u{1b}]0;t\u{7}")
            .chars()
            .all(|character| !character.is_control() || character == '\n')
    );
    assert_eq!(
        plain(r##"<a href="#top">up</a> <a href="mailto:a@b.example">write</a>"##),
        "up write (a@b.example)"
    );
}

fn text_of_link(href: &str) -> String {
    plain(&format!("<a href=\"{href}\">x</a>"))
}

#[test]
fn what_a_mail_hides_is_shown_as_hidden() {
    let cases = [
        r#"<div style="display:none">secret</div>seen"#,
        r#"<span style="DISPLAY : none !important">secret</span>seen"#,
        r#"<p hidden>secret</p>seen"#,
        r#"<font style="color:#fff;background-color:white">secret</font>seen"#,
        r#"<div style="font-size:0px"><b>secret</b></div>seen"#,
    ];
    for html in cases {
        let text = plain(html);
        assert!(text.contains("[hidden in the mail: secret]") && text.contains("seen"), "{html}: {text}");
    }
    assert_eq!(plain("<div style=\"display:none\">\u{200c}&nbsp;\u{200c}&nbsp;</div>seen"), "seen");
}

#[test]
fn hostile_mail_is_only_text() {
    // (mail, shown text)
    let cases = [
        ("<img src=http://t/x.gif?u=1>", "(1 picture not loaded)"),
        ("<style>@import url(http://t/)</style><link rel=stylesheet href=//t>x", "x"),
        ("<svg><image href=http://t/></svg><object data=http://t/></object>x", "x"),
        ("<script>alert(1)</script>x", "x"),
        ("x<script>alert(1)", "x"),
        ("<table><tr><td rowspan=0>x</table>", "x"),
        ("<table><tr><td rowspan=2>x</td></tr></table>", "x"),
        (
            "<form action=http://evil.example/a><input value=1>x</form>",
            "[form, cannot be sent from here; target evil.example] x",
        ),
        ("<meta http-equiv=refresh content='0;url=http://t'>x", "x"),
        ("<img src=cid:1 alt='<img src=cid:1>'>", "[<img src=cid:1>]\n\n(1 picture not loaded)"),
        ("<!-- a --><![CDATA[ b ]]><?php c ?>x", "x"),
        ("<title>t</title><textarea>u</textarea><select><option>v</select>x", "x"),
        ("<html><head><title>t</title><body>x", "x"),
        ("+ADw-script+AD4-", "+ADw-script+AD4-"),
    ];
    for (html, shown) in cases {
        assert_eq!(plain(html), shown, "{html}");
    }
}

#[test]
fn a_mail_that_nests_without_end_is_read_all_the_same() {
    for part in [
        "<div>",
        "<blockquote>",
        "<b><i>",
        "<table><tr><td>",
        "<ul><li>",
        "<a href=x>",
        "<font>",
        "<p hidden>",
    ] {
        let shown = plain(&format!("{}seen", part.repeat(50_000)));
        assert!(shown.contains("seen"), "{part}");
        assert!(shown.len() < 400_000, "{part}: {}", shown.len());
    }
    let picture = format!("<img src=\"data:image/png;base64,{}\">seen", "A".repeat(500_000));
    assert_eq!(plain(&picture), "seen");
    let attributes: String = (0..100_000).map(|number| format!("a{number} ")).collect();
    assert!(plain(&format!("<p {attributes}>seen")).contains("seen"));
    assert!(plain(&format!("<p>{}</p>", "long ".repeat(300_000))).contains("too long"));
}

/// Entries of the corpus about HTML mail and the tests that cover them.
const HELD: [(&str, &str); 18] = [
    ("tracking-pixel", "hostile_mail_is_only_text, stories::mail_hostile"),
    ("css-import", "hostile_mail_is_only_text, stories::mail_hostile"),
    ("video-audio-svg-object", "hostile_mail_is_only_text, stories::mail_hostile"),
    ("script", "hostile_mail_is_only_text"),
    ("deep-div-50k", "a_mail_that_nests_without_end_is_read_all_the_same"),
    ("deep-blockquote", "a_mail_that_nests_without_end_is_read_all_the_same"),
    ("unclosed-bold-20k", "a_mail_that_nests_without_end_is_read_all_the_same"),
    ("rowspan-0", "hostile_mail_is_only_text"),
    ("rowspan-overhang", "hostile_mail_is_only_text"),
    ("href-control", "links_say_where_they_lead"),
    ("href-javascript", "links_say_where_they_lead"),
    ("form-in-mail", "hostile_mail_is_only_text, stories::mail_hostile"),
    ("meta-refresh", "hostile_mail_is_only_text, stories::mail_hostile"),
    ("charset-lie", "bytes_that_lie_about_their_charset_are_only_text"),
    ("header-flood", "api::letters::tests::a_flood_in_a_head_is_cut"),
    ("cid-loop", "hostile_mail_is_only_text"),
    ("attachment-exec-name", "model::email::files, stories::mail_hostile"),
    ("attachment-symlink", "shell::mail_files::files_are_saved_beside_what_is_there"),
];

#[test]
fn every_case_of_the_corpus_has_a_place() {
    let text = include_str!("../../../../tests/hostile.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let names: Vec<String> = lines
        .filter(|line| line["group"] == "email-html")
        .map(|line| line["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, HELD.map(|(name, _)| name));
}

#[test]
fn bytes_that_lie_about_their_charset_are_only_text() {
    let cases = [
        "<meta charset=utf-7>+ADw-script+AD4-alert(1)+ADw-/script+AD4-seen",
        "<meta charset=iso-2022-jp>\u{1b}$B!!\u{1b}(Bseen",
        "<meta charset=utf-16>\u{feff}s\u{0}e\u{0}e\u{0}n\u{0}seen",
    ];
    for html in cases {
        let shown = html_to_text(html);
        fuzz::check_is_text(&shown).unwrap();
        assert!(shown.text.as_str().contains("seen"), "{}", shown.text);
    }
}

#[test]
fn generated_mail_is_only_text() {
    let count = std::env::var("FRONTDESK_DOCUMENTS").ok().and_then(|var| var.parse().ok()).unwrap_or(2_000);
    for seed in 0..count {
        let html = fuzz::build_document(seed);
        fuzz::check_is_text(&html_to_text(&html)).unwrap_or_else(|why| panic!("{seed}: {why}\n{html}"));
    }
    fuzz::check_is_text(&too_complex_notice(&fuzz::build_document(1))).unwrap();
}

#[test]
fn a_tag_with_endless_attributes_ends_the_text() {
    let attributes: String = (0..150_000).map(|number| format!(" a{number}")).collect();
    let shown = plain(&format!("<p>First words</p><b x=\">\"{attributes}>last"));
    assert!(shown.starts_with("First words"), "{shown}");
    assert!(shown.contains("the rest is not shown") && !shown.contains("last"), "{shown}");
}
