//! The HTML page of a mail for the browser: hostile input is checked in the remaining tokens and,
//! if available, in a real browser, which must not load or navigate anything.
//!
//! `FRONTDESK_BROWSER` names a Chromium and makes it required.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::shell::clock::instant;
use frontdesk::shell::mail_page::page;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::skipping::skip;
use crate::waiting::until_so;

/// Ways to run, fetch, send or navigate; `HERE` is the target.
const FORMS: &[(&str, &str)] = &[
    ("refresh", "<meta http-equiv=refresh content='0;url=HERE'>"),
    ("refresh by entities", r#"<meta http-equiv="re&#102;resh" content="0;url=HERE">"#),
    ("refresh after a slash", r#"<meta/http-equiv="refresh"/content="0;url=HERE">"#),
    ("refresh split by a comment", "<me<!-- -->ta><meta\nhttp-equiv='Refresh'\ncontent=\"0;url=HERE\">"),
    ("refresh in noscript", "<noscript><meta http-equiv=refresh content='0;url=HERE'></noscript>"),
    (
        "refresh out of noscript",
        "<noscript><p title=\"</noscript><meta http-equiv=refresh content='0;url=HERE'>\">",
    ),
    (
        "refresh after a null",
        "<meta http-equiv=refresh\0 content='0;url=HERE'><meta http-equiv=refresh content=0;HERE>",
    ),
    ("refresh to data", "<meta http-equiv=refresh content=\"0;url=data:text/html,<img src=HERE>\">"),
    ("script", "<script src=HERE></script><script>fetch('HERE');location='HERE'</script>"),
    ("script in svg", "<svg><script href=HERE></script><script>location='HERE'</script></svg>"),
    ("script after a broken tag", "<<script>location='HERE'//<</script>"),
    ("module and preload", "<link rel=modulepreload href=HERE><script type=module>import 'HERE'</script>"),
    ("error handler", "<img src=x onerror=\"location='HERE'\"><svg/onload=\"fetch('HERE')\">"),
    ("handler after a slash", "<img/src=x/onerror=location='HERE'>"),
    ("focus handler", "<input autofocus onfocus=location='HERE'><details open ontoggle=location='HERE'>"),
    ("animation handler", "<svg><animate onbegin=location='HERE' attributeName=x dur=1s></svg>"),
    ("picture", "<img src=HERE><img src='//HOST/a.png'><image src=HERE>"),
    ("picture set", "<img srcset='HERE 1x, HERE 2x'><picture><source srcset=HERE><img></picture>"),
    (
        "picture as a vector",
        "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='HERE'/></svg>\">",
    ),
    ("background", "<body background=HERE><table background=HERE><td background=HERE>x"),
    ("style", "<style>@import url(HERE);body{background:url(HERE)}</style><p>x"),
    ("style without an end", "<style>@import 'HERE';"),
    ("style attribute", "<p style=\"background:url(HERE)\">x<p style='background-image:url(\"HERE\")'>y"),
    ("style by escapes", r#"<p style="background:u\72l(HERE)">x<p style="\62 ackground:ur\6c(HERE)">y"#),
    ("style by comments", "<p style='back/**/ground:url(HERE);background:/**/url(HERE)'>x"),
    ("style by entities", "<p style='background&#58;url&#40;HERE&#41;'>x"),
    (
        "list, cursor and content",
        "<ul style='list-style:url(HERE)'><li>x</ul><p style='cursor:url(HERE),auto;content:url(HERE)'>y",
    ),
    (
        "picture sets in style",
        "<p style=\"background:image-set('HERE' 1x);border-image:url(HERE) 1;mask:url(HERE)\">x",
    ),
    (
        "fonts",
        "<style>@font-face{font-family:a;src:url(HERE)}p{font-family:a}</style><p style='font-family:a'>x",
    ),
    ("style in svg", "<svg><style>*{background:url(HERE)}</style></svg><p>x"),
    (
        "link",
        "<link rel=stylesheet href=HERE><link rel=prefetch href=HERE><link rel=preload as=image href=HERE>",
    ),
    ("connection ahead", "<link rel=preconnect href=HERE><link rel=dns-prefetch href='//HOST'>"),
    ("icon and manifest", "<link rel=icon href=HERE><link rel=manifest href=HERE>"),
    ("base", "<base href='HERE/'><img src=a.png><a href=b>b</a><p style='background:url(c)'>"),
    ("frame", "<iframe src=HERE></iframe><frameset><frame src=HERE></frameset>"),
    (
        "frame with a document",
        "<iframe srcdoc=\"<img src='HERE'><meta http-equiv=refresh content='0;url=HERE'>\"></iframe>",
    ),
    (
        "object and embed",
        "<object data=HERE><embed src=HERE></object><applet code=HERE archive=HERE></applet>",
    ),
    (
        "sound and video",
        "<video src=HERE poster=HERE autoplay></video><audio src=HERE autoplay></audio><video><source src=HERE><track default src=HERE></video>",
    ),
    ("form", "<form action=HERE id=f><input type=image src=HERE><button formaction=HERE>x</button></form>"),
    ("vector picture", "<svg><image href=HERE /><image xlink:href=HERE /><use href='HERE#a'/></svg>"),
    (
        "vector filter",
        "<svg><filter id=f><feImage href=HERE /></filter><rect filter='url(#f)' fill='url(HERE#a)' width=9 height=9 /></svg>",
    ),
    (
        "mathematics",
        "<math><mi xlink:href=HERE href=HERE>x</mi><maction actiontype='statusline#HERE' xlink:href='HERE'>y</maction></math>",
    ),
    (
        "template",
        "<template><img src=HERE></template><template shadowrootmode=open><img src=HERE></template>",
    ),
    ("custom element", "<x-a is=x-b onclick=HERE><slot><img is=x src=HERE></slot></x-a>"),
    (
        "mutation through mathematics",
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=HERE&gt;\">",
    ),
    ("mutation through a form", "<form><math><mtext></form><form><mglyph><style></math><img src=HERE>"),
    ("mutation through svg", "<svg></p><style><a id=\"</style><img src=HERE>\">"),
    (
        "mutation through noembed",
        "<noembed><p title='</noembed><img src=HERE>'></noembed><xmp><p title='</xmp><img src=HERE>'>",
    ),
    (
        "mutation through a text area",
        "<textarea><p title='</textarea><img src=HERE>'></textarea><title><p title='</title><img src=HERE>'>",
    ),
    (
        "mutation through a comment",
        "<!--><img src=HERE>--><!--!><img src=HERE>--!><img src=HERE><![CDATA[><img src=HERE>]]>",
    ),
    ("select", "<select><iframe></select><img src=HERE></select><select><selectedcontent><img src=HERE>"),
    (
        "quotes",
        "<p title='\"><img src=HERE>' style=\"color:red'><img src=HERE>\">x<p title=`><img src=HERE>`>",
    ),
    ("plain text", "<plaintext><img src=HERE>"),
    (
        "tags of odd bytes",
        "<img\u{c}src=HERE><img\u{0}src=HERE><\u{0}img src=HERE><IMG SRC=HERE><ımg src=HERE>",
    ),
    ("pings", "<a href='javascript:alert(1)' ping=HERE>a</a><a href='java&#9;script:location=`HERE`'>b</a>"),
    (
        "odd schemes",
        "<a href=' vbscript:x'>a</a><a href='data:text/html,<script>location=`HERE`</script>'>b</a><a href='file:///etc/passwd'>c</a><a href='//HOST/'>d</a>",
    ),
    ("map", "<img usemap=#m src=HERE><map name=m><area href=HERE ping=HERE shape=default></map>"),
    (
        "rules ahead",
        "<script type=speculationrules>{\"prerender\":[{\"urls\":[\"HERE\"]}]}</script><link rel=prerender href=HERE>",
    ),
    ("portal and fences", "<portal src=HERE></portal><fencedframe src=HERE></fencedframe><webview src=HERE>"),
    (
        "old things",
        "<bgsound src=HERE><layer src=HERE></layer><ilayer src=HERE><xml src=HERE><isindex action=HERE><img lowsrc=HERE dynsrc=HERE>",
    ),
    (
        "policy of its own",
        "<meta http-equiv=content-security-policy content=\"default-src *; report-uri HERE\"><img src=HERE>",
    ),
    (
        "popover and invoker",
        "<button popovertarget=p>x</button><p popover id=p><img src=HERE loading=lazy></p>",
    ),
];

/// Elements and attributes allowed in a mail's page, apart from its head.
const TAGS: &str = "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col \
    colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd \
    label li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th \
    thead time tr tt u ul var wbr";
const ATTRIBUTES: &str = "abbr align alt bgcolor border cellpadding cellspacing color colspan dir face height href \
    lang nowrap rel rowspan size span src start style title valign width";

const HEAD: &str = "<!doctype html>\n<html><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
    content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">\n\
    <meta name=\"referrer\" content=\"no-referrer\">\n<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">\n\
    <title>Mail</title></head><body>\n";

fn body(page: &str) -> &str {
    let rest = page.strip_prefix(HEAD).expect("the policy stands first");
    rest.strip_suffix("\n</body></html>\n").expect("its end")
}

/// Tokens that violate the rules, and links.
#[derive(Default)]
struct Found {
    wrong: RefCell<Vec<String>>,
    links: RefCell<Vec<String>>,
}

impl TokenSink for Found {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let wrong = |text: String| self.wrong.borrow_mut().push(text);
        match token {
            Token::TagToken(Tag { kind, name, attrs, .. }) => {
                if !TAGS.split_whitespace().any(|word| word == &*name) {
                    wrong(format!("<{name}>"));
                }
                if kind == TagKind::EndTag && !attrs.is_empty() {
                    wrong(format!("</{name} …>"));
                }
                for attribute in attrs {
                    let (key, value) = (&*attribute.name.local, &*attribute.value);
                    let fine = match (&*name, key) {
                        ("a", "href") => value.starts_with("https://") || value.starts_with("mailto:"),
                        ("a", "rel") => value == "noopener noreferrer nofollow",
                        ("img", "src") => value.starts_with("data:image/png;base64,"),
                        (_, "href" | "rel" | "src") => false,
                        (_, "style") => {
                            let lower = value.to_lowercase();
                            !["\\", "url", "image", "@", "expression", "/*", "var("]
                                .iter()
                                .any(|text| lower.contains(text))
                        }
                        (_, key) => ATTRIBUTES.split_whitespace().any(|word| word == key),
                    };
                    if !fine {
                        wrong(format!("<{name} {key}={value:?}>"));
                    }
                    if key == "href" {
                        self.links.borrow_mut().push(value.to_owned());
                    }
                }
            }
            Token::CommentToken(comment) => wrong(format!("<!--{comment}-->")),
            Token::DoctypeToken(_) => wrong("a doctype".to_owned()),
            _ => (),
        }
        TokenSinkResult::Continue
    }
}

fn found_in(html: &str) -> Found {
    let tokenizer = Tokenizer::new(Found::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink
}

fn leading_to(form: &str, scheme: &str, host: &str, path: usize) -> String {
    form.replace("HERE", &format!("{scheme}://{host}/{path}")).replace("HOST", host)
}

#[test]
fn nothing_that_acts_is_left_of_any_form() {
    for (number, (name, form)) in FORMS.iter().enumerate() {
        for scheme in ["http", "https"] {
            let html = leading_to(form, scheme, "tracker.example", number);
            let page = page(&html);
            let body = body(&page);
            let found = found_in(body);
            assert!(found.wrong.borrow().is_empty(), "{name}: {:?} in {body}", found.wrong.borrow());
            // A browser's parse and serialisation gives the same.
            assert_eq!(self::body(&self::page(body)), body, "{name}");
        }
    }
}

#[test]
fn what_a_mail_says_stays() {
    let png = "data:image/png;base64,iVBORw0KGgo=";
    let html = format!(
        "<title>t</title><h1 style='color:rgb(1, 2, 3);position:fixed;display:none'>Order 1041</h1>\
         <table width=600 bgcolor=#eee><tr><td align=center style='padding:4px;background:url(https://t.example/x)'>\
         <font face=Arial color=red>It left.</font></table>\
         <a href=\"https://shop.example/track?a=1&amp;b=2\" target=_blank onclick=x()>Where it is</a> \
         <a href=mailto:ana@shop.example>Write</a> <a href=http://plain.example/>plain</a>\
         <img src='{png}' width=3><img src=https://t.example/pixel.gif alt='A red bicycle'>Grüße 自転車 &lt;b&gt;"
    );
    let page = page(&html);
    let body = body(&page);
    for stays in [
        "<h1 style=\"color:rgb(1, 2, 3)\">Order 1041</h1>",
        "width=\"600\"",
        "style=\"padding:4px\"",
        "It left.",
        "href=\"https://shop.example/track?a=1&amp;b=2\"",
        "href=\"mailto:ana@shop.example\"",
        ">plain</a>",
        "iVBORw0KGgo=",
        "alt=\"A red bicycle\"",
        "Grüße 自転車 &lt;b&gt;",
    ] {
        assert!(body.contains(stays), "{stays} in {body}");
    }
    assert_eq!(body.matches("rel=\"noopener noreferrer nofollow\"").count(), 3, "{body}");
    assert!(!body.contains("t.example") && !body.contains("plain.example"), "{body}");
    assert_eq!(
        *found_in(body).links.borrow(),
        ["https://shop.example/track?a=1&b=2", "mailto:ana@shop.example"]
    );
}

#[test]
fn a_mail_that_nests_without_end_is_shown_as_its_words() {
    for opening in
        ["<div>", "<b a=1><i><font>", "<table><tr><td>", "<b></i><font></b>", "<a><b></a>", "<svg><g>"]
    {
        let html = format!("<p>First words{}last", opening.repeat(100_000));
        let page = page(&html);
        assert!(page.contains("First words"), "{opening}");
        assert!(found_in(body(&page)).wrong.borrow().is_empty(), "{opening}");
    }
    let ordinary = format!("<ul>{}</ul>{}", "<li>one<p>two".repeat(2_000), "<br><img><hr>".repeat(2_000));
    assert!(page(&ordinary).contains("<li>one<p>two</p></li>"));
}

/// Small mails that would become large trees, by kind of growth.
fn growing_mails() -> Vec<(&'static str, String)> {
    let open: String = (0..500).map(|number| format!("<b x={number}>")).collect();
    let long = "x".repeat(20_000);
    let attributes: String = (0..40_000).map(|number| format!(" a{number}")).collect();
    vec![
        ("formatting opened again in each paragraph", format!("<p>{open}{}", "<p>x".repeat(20_000))),
        ("formatting opened again in each cell", format!("<table>{}", format!("<tr><td>{open}").repeat(60))),
        ("a long attribute opened again", format!("<p><b title={long}>{}", "<p>x".repeat(5_000))),
        ("many attributes opened again", format!("<p><b{}>{}", &attributes[..20_000], "<p>x".repeat(5_000))),
        ("formatting that is misnested", "<a><b><i><u><p></a></b></i></u>".repeat(20_000)),
        ("blocks moved out of a table", format!("<table>{}", "<p>x<b>".repeat(60_000))),
        ("a comment a word", "<!---->".repeat(200_000)),
        ("characters that may not stand there", "&#1;".repeat(1_500_000)),
        ("templates in templates", "<template>".repeat(20_000)),
    ]
}

#[test]
fn a_small_mail_never_becomes_a_large_page() {
    for (name, mail) in growing_mails() {
        let page = page(&format!("<p>First words</p>{mail}"));
        let body = body(&page);
        assert!(body.contains("First words"), "{name}");
        assert!(body.len() <= 33 * 1024 * 1024, "{name}: {} bytes", body.len());
        assert!(found_in(body).wrong.borrow().is_empty(), "{name}");
    }
    let (_, repeated) = &growing_mails()[0];
    let page = page(&format!("<p>First words</p>{repeated}"));
    assert!(body(&page).starts_with("<pre>"), "its words alone");
    assert!(page.len() < 100_000, "{} bytes", page.len());
}

#[test]
fn a_large_newsletter_keeps_its_layout() {
    let picture = format!("<img src=\"data:image/png;base64,{}\">", "iVBORw0KGgo=".repeat(300_000));
    let row = "<tr><td style='padding:4px'><font color=red><b>Bell</b></font></td><td>&euro;8</td></tr>";
    let page = page(&format!("{picture}<table>{}</table>", row.repeat(5_000)));
    let body = body(&page);
    assert_eq!(body.matches("<b>Bell</b>").count(), 5_000);
    assert_eq!(body.matches("iVBORw0KGgo=").count(), 300_000);
}

/// A browser, if one is installed or required.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("FRONTDESK_BROWSER").filter(|var_os| !var_os.is_empty()) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        skip("no Chromium here opens the pages of mails; FRONTDESK_BROWSER names one");
    }
    found
}

/// A server that records the request line of each connection.
struct Ears {
    host: String,
    heard: Arc<Mutex<Vec<String>>>,
    /// Address of the picture that keeps a document loading; separate, because a browser may open
    /// an unused second connection.
    holder: String,
    is_held: Arc<AtomicBool>,
    /// True once the picture may be sent.
    released: Arc<AtomicBool>,
}

/// Answers each connection after its request line or a timeout; returns the address.
fn answering(patience: Option<Duration>, heard: impl Fn(String) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let heard = heard.clone();
            std::thread::spawn(move || {
                stream.set_read_timeout(patience).expect("set");
                let mut bytes = [0; 512];
                let read = stream.read(&mut bytes).unwrap_or(0);
                heard(String::from_utf8_lossy(&bytes[..read]).lines().next().unwrap_or("").to_owned());
                let empty = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(empty);
            });
        }
    });
    host
}

impl Ears {
    fn open() -> Self {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = heard.clone();
        let host =
            answering(Some(Duration::from_secs(5)), move |line| log.lock().expect("not poisoned").push(line));
        let (is_held, released) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (held, may_come) = (is_held.clone(), released.clone());
        let holder = answering(None, move |line| {
            if line.contains("/hold") {
                held.store(true, Ordering::SeqCst);
                until_so("the end", || may_come.load(Ordering::SeqCst));
            }
        });
        Self { host, heard, holder, is_held, released }
    }

    /// Forms in the recorded requests; `None` for a request without one.
    fn forms(&self) -> BTreeSet<Option<usize>> {
        let of = |text: &String| text.split(' ').nth(1)?.split('/').nth(1)?.parse::<usize>().ok();
        self.heard.lock().expect("not poisoned").iter().map(of).collect()
    }

    fn holds(&self) -> bool {
        self.is_held.load(Ordering::SeqCst)
    }

    /// Every form with this server as the target.
    fn every(&self, scheme: &'static str) -> impl Iterator<Item = String> {
        FORMS.iter().enumerate().map(move |(number, (_, form))| leading_to(form, scheme, &self.host, number))
    }

    /// A document with a frame for each of these, which loads until released.
    fn framed(&self, folder: &Path, documents: impl Iterator<Item = String>) -> PathBuf {
        let mut all = format!("<!doctype html><meta charset=utf-8><img src='http://{}/hold'>\n", self.holder);
        for (number, document) in documents.enumerate() {
            std::fs::write(folder.join(format!("{number}.html")), document).expect("written");
            all.push_str(&format!("<iframe src='{number}.html'></iframe>\n"));
        }
        let path = folder.join("all.html");
        std::fs::write(&path, all + "<p>the end").expect("written");
        path
    }
}

/// Opens a document; returns its DOM after loading, or nothing if `meanwhile` returns false.
fn open(browser: &Path, page: &Path, meanwhile: impl FnOnce() -> bool) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
    ]);
    command.args(["--disable-sync", "--no-first-run", "--disable-crash-reporter", "--dump-dom"]);
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.env("HOME", folder.path()).env_remove("XDG_CONFIG_HOME");
    command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    command.arg(format!("file://{}", page.display()));
    let dom = folder.path().join("dom");
    let out = std::fs::File::create(&dom).expect("a file");
    let mut child =
        command.stdin(Stdio::null()).stdout(out).stderr(Stdio::null()).spawn().expect("it starts");
    if meanwhile() {
        until_so("the browser's end", || child.try_wait().expect("waited").is_some());
    } else {
        child.kill().expect("killed");
        child.wait().expect("waited");
    }
    std::fs::read_to_string(dom).expect("text")
}

#[test]
fn a_real_browser_asks_for_nothing_and_goes_nowhere() {
    let Some(browser) = browser() else { return };
    // Unsanitised, most of the forms request something: the test can fail.
    let (ears, folder) = (Ears::open(), tempfile::tempdir().expect("a folder"));
    let begun = instant();
    open(&browser, &ears.framed(folder.path(), ears.every("http")), || {
        until_so("what acts", || ears.forms().len() >= FORMS.len() / 2);
        // Some of them never finish loading.
        false
    });
    let took = begun.elapsed();
    // Sanitised, none does in the same time.
    let (ears, folder) = (Ears::open(), tempfile::tempdir().expect("a folder"));
    let rebuilt = ears.every("http").chain(ears.every("https")).map(|every| page(&every));
    let document = open(&browser, &ears.framed(folder.path(), rebuilt), || {
        until_so("the document", || ears.holds());
        std::thread::sleep(took);
        ears.released.store(true, Ordering::SeqCst);
        true
    });
    assert!(document.contains("the end") && document.contains("61.html"), "{document}");
    let heard: Vec<_> = ears
        .forms()
        .into_iter()
        .map(|form| form.and_then(|number| FORMS.get(number)).map(|pair| pair.0))
        .collect();
    assert!(heard.is_empty(), "{heard:?}");
}
