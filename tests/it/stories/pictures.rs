//! Pictures in the history: shown on request, fetched only from confirmed hosts, bounded.

use std::io::Cursor;

use frontdesk::inbox::settings::Settings;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use frontdesk::model::pictures::Graphics;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

/// A wheel on a light background.
fn wheel() -> Vec<u8> {
    let (width, height) = (400_u32, 200_u32);
    let image = RgbImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (f64::from(x) - 200.0, f64::from(y) - 100.0);
        let far = dx.hypot(dy);
        let spoke = (dy.atan2(dx) * 8.0 / std::f64::consts::PI).fract().abs() < 0.2;
        match far {
            distance if (78.0..92.0).contains(&distance) => Rgb([20, 20, 20]),
            distance if distance < 10.0 || (distance < 78.0 && spoke) => Rgb([180, 60, 40]),
            _ => Rgb([225, 225, 215]),
        }
    });
    let mut file = Cursor::new(Vec::new());
    DynamicImage::from(image).write_to(&mut file, ImageFormat::Png).expect("a file");
    file.into_inner()
}

pub fn upload(desk: &Desk, name: &str, bytes: &[u8]) -> String {
    let mut body = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--edge--\r\n");
    let (url, key) = (format!("{}/media", desk.base_url), desk.key_of("whatsapp"));
    let text = desk.runtime.block_on(async {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let request = http.post(url).bearer_auth(key).body(body);
        let request = request.header("content-type", "multipart/form-data; boundary=edge");
        request.send().await.expect("an answer").text().await.expect("a body")
    });
    let told: Value = serde_json::from_str(&text).expect("JSON");
    told["url"].as_str().expect("an address").to_owned()
}

fn sends(desk: &mut Desk, url: &str, text: &str) {
    let body = json!({"channel": "whatsapp", "from": MARIA, "name": "Maria Lopez", "text": text,
        "mediaUrl": url});
    desk.dev("inbound", body);
    desk.settle();
}

#[test]
fn a_picture_is_fetched_when_asked_for_and_its_host_was_shown() {
    let mut desk = Desk::new(120, 40);
    let url = upload(&desk, "wheel.png", &wheel());
    sends(&mut desk, &url, "It looks like this");
    desk.keys("<Enter>").shows("wheel.png").keys("v").shows("Show the picture here?");
    desk.shows("Download from 127.0.0.1").keys("n").hides("▓").keys("vy").shows("▓");
    photograph!(desk, "shown", History);
    desk.keys("v").hides("▓").keys("v").shows("▓").hides("Show the picture here?");
    let second = upload(&desk, "other.png", &wheel());
    sends(&mut desk, &second, "and from the other side");
    desk.keys("Gv").hides("Show the picture here?");
    assert_eq!(desk.picture().matches("fetching").count(), 0);
    desk.theme = Theme::new(ThemeName::Dark, false);
    desk.shows("▀");
    desk.resize((60, 20));
    desk.shows("▀");
}

#[test]
fn what_cannot_be_shown_says_why() {
    let mut desk = Desk::new(120, 40);
    sends(&mut desk, "https://192.168.0.1/router.jpg", "");
    desk.keys("<Enter>vy").shows("no picture: it has no public https address");
    photographs!(desk, "refused", History);
    let page = upload(&desk, "page.png", b"<html>this is no picture</html>");
    sends(&mut desk, &page, "");
    desk.keys("Gvy").shows("no picture: its file is not PNG, JPEG, GIF or WebP");
    // A few bytes that claim four thousand million pixels.
    let claims = [b"GIF89a".as_slice(), &[0xff; 4], &[0xf0, 0, 0], &[0; 6], &[0x2c, 0, 0, 0, 0]].concat();
    let bomb = [claims.as_slice(), &[0xff; 4], &[0, 2, 2, 0x4c, 1, 0, 0x3b]].concat();
    let bomb = upload(&desk, "bomb.gif", &bomb);
    sends(&mut desk, &bomb, "");
    desk.keys("Gv").shows("no picture: it is too large to be shown here");
    let gone = upload(&desk, "gone.png", &wheel()).replace("/media/med_", "/media/med_x");
    sends(&mut desk, &gone, "");
    desk.keys("Gv").shows("no picture: its host answers with 404");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.settle().keys("Gkjv").shows("this message has no picture");
}

#[test]
fn channels_may_want_their_pictures_by_themselves_and_others_none_at_all() {
    let mut desk =
        Desk::with(120, 40, |settings: &mut Settings| settings.pictures_of = vec!["whatsapp".into()]);
    let url = upload(&desk, "wheel.png", &wheel());
    sends(&mut desk, &url, "");
    desk.hides("▓").keys("<Enter>").shows("▓").hides("Show the picture here?");
    let mut desk = Desk::with(120, 40, |settings: &mut Settings| settings.graphics = Graphics::Off);
    sends(&mut desk, "https://files.example/a.jpg", "");
    desk.keys("<Enter>v").shows("pictures are switched off in the configuration");
}
