//! Stickers: formats and limits of the platforms. Pure; reads no file.

use serde::{Deserialize, Serialize};

use crate::account::Platform;
use crate::files;

pub const WEBP_MIME_TYPE: &str = "image/webp";
/// Animated sticker of bot-chat: compressed vector graphics.
pub const TGS_MIME_TYPE: &str = "application/x-tgsticker";
/// Video sticker of bot-chat.
pub const WEBM_MIME_TYPE: &str = "video/webm";

/// Width and height of a sticker, in pixels.
const SIDE_PIXELS: u32 = 512;
/// Maximum size of a still sticker on business chat, in bytes.
const MAX_STILL_BYTES: u64 = 100 * 1024;
/// Maximum size of an animated sticker on business chat, in bytes.
const MAX_ANIMATED_BYTES: u64 = 500 * 1024;
/// Maximum sizes on bot-chat, in bytes.
const MAX_BOT_WEBP_BYTES: u64 = 512 * 1024;
const MAX_BOT_TGS_BYTES: u64 = 64 * 1024;
const MAX_BOT_WEBM_BYTES: u64 = 256 * 1024;

/// Facts from the header of a WebP picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebpFacts {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    pub is_animated: bool,
}

impl WebpFacts {
    /// Reads the header of a WebP picture, at least its first 30 bytes; `None` for other bytes.
    pub fn read(head: &[u8]) -> Option<Self> {
        if !head.starts_with(b"RIFF") || head.get(8..12)? != b"WEBP" {
            return None;
        }
        let number = |from: usize, count: usize| {
            let bytes = head.get(from..from + count)?;
            Some(bytes.iter().rev().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte)))
        };
        let (width, height, is_animated) = match head.get(12..16)? {
            b"VP8X" => (number(24, 3)? + 1, number(27, 3)? + 1, number(20, 1)? & 2 != 0),
            b"VP8L" => {
                let bits = number(21, 4)?;
                ((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1, false)
            }
            b"VP8 " => (number(26, 2)? & 0x3FFF, number(28, 2)? & 0x3FFF, false),
            _ => return None,
        };
        Some(Self { width, height, is_animated })
    }

    pub fn has_sticker_size(self) -> bool {
        (self.width, self.height) == (SIDE_PIXELS, SIDE_PIXELS)
    }
}

/// Returns the reason why a channel has no stickers; `None` if it has them or is not known yet.
pub fn channel_rejection_reason(platform: Option<&Platform>) -> Option<String> {
    let other = platform.filter(|platform| !matches!(platform, Platform::Whatsapp | Platform::Telegram))?;
    Some(format!("{} has no stickers", other.label()))
}

/// Returns the reason why a file of this type and size is not sent as a sticker. `webp` is `None` for a file
/// whose header was not read.
pub fn rejection_reason(
    platform: Option<&Platform>,
    mime_type: &str,
    size: u64,
    webp: Option<WebpFacts>,
) -> Option<String> {
    if let Some(why) = channel_rejection_reason(platform) {
        return Some(why);
    }
    let is_bot = platform == Some(&Platform::Telegram);
    let is_animated = webp.is_some_and(|webp| webp.is_animated);
    let (most, what) = match mime_type {
        WEBP_MIME_TYPE if is_bot => (MAX_BOT_WEBP_BYTES, "a WebP sticker"),
        // An unread header may be that of an animated one.
        WEBP_MIME_TYPE if is_animated || webp.is_none() => (MAX_ANIMATED_BYTES, "an animated sticker"),
        WEBP_MIME_TYPE => (MAX_STILL_BYTES, "a still sticker"),
        TGS_MIME_TYPE if is_bot => (MAX_BOT_TGS_BYTES, "a TGS sticker"),
        WEBM_MIME_TYPE if is_bot => (MAX_BOT_WEBM_BYTES, "a WebM sticker"),
        other => {
            let taken = if is_bot { "WebP, TGS and WebM" } else { "WebP" };
            return Some(format!("{other} cannot be sent as a sticker, only {taken}"));
        }
    };
    if size > most {
        let (size, most) = (files::format_size(size), most / 1024);
        return Some(format!("{what} has at most {most} KB, this has {size}"));
    }
    let webp = webp.filter(|webp| match is_bot {
        true => webp.width.max(webp.height) > SIDE_PIXELS,
        false => !webp.has_sticker_size(),
    })?;
    let most = if is_bot { "at most " } else { "" };
    let WebpFacts { width, height, .. } = webp;
    Some(format!("a sticker has {most}{SIDE_PIXELS}x{SIDE_PIXELS} pixels, this has {width}x{height}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(kind: &[u8; 4], rest: &[u8]) -> Vec<u8> {
        [b"RIFF....WEBP".as_slice(), kind, b"....", rest].concat()
    }

    fn webp(width: u32, height: u32, is_animated: bool) -> WebpFacts {
        WebpFacts { width, height, is_animated }
    }

    #[test]
    fn headers_of_webp_pictures() {
        let cases = [
            (header(b"VP8X", &[2, 0, 0, 0, 0xFF, 1, 0, 0xFF, 1, 0]), Some(webp(512, 512, true))),
            (header(b"VP8X", &[0, 0, 0, 0, 0, 0, 0, 0xFF, 1, 0]), Some(webp(1, 512, false))),
            (header(b"VP8L", &[0x2F, 0xFF, 0xC1, 0x7F, 0]), Some(webp(512, 512, false))),
            (header(b"VP8 ", &[0, 0, 0, 0x9D, 1, 0x2A, 0, 2, 0x2C, 1]), Some(webp(512, 300, false))),
            (header(b"VP8 ", &[0, 0, 0]), None),
            (header(b"ABCD", &[0; 20]), None),
            (b"RIFF....WAVEfmt ".to_vec(), None),
            (Vec::new(), None),
        ];
        for (head, facts) in cases {
            assert_eq!(WebpFacts::read(&head), facts, "{head:?}");
        }
    }

    #[test]
    fn each_platform_has_formats_and_limits() {
        let (chat, bot) = (Some(&Platform::Whatsapp), Some(&Platform::Telegram));
        let (still, moving) = (webp(512, 512, false), webp(512, 512, true));
        let cases = [
            (chat, WEBP_MIME_TYPE, 102_400, Some(still), None),
            (chat, WEBP_MIME_TYPE, 102_401, Some(still), Some("a still sticker has at most 100 KB")),
            (chat, WEBP_MIME_TYPE, 102_401, Some(moving), None),
            (chat, WEBP_MIME_TYPE, 102_401, None, None),
            (chat, WEBP_MIME_TYPE, 512_001, Some(moving), Some("an animated sticker has at most 500 KB")),
            (
                chat,
                WEBP_MIME_TYPE,
                9,
                Some(webp(300, 200, false)),
                Some("a sticker has 512x512 pixels, this has 300x200"),
            ),
            (chat, "image/png", 9, None, Some("image/png cannot be sent as a sticker, only WebP")),
            (chat, TGS_MIME_TYPE, 9, None, Some("only WebP")),
            (bot, TGS_MIME_TYPE, 65_536, None, None),
            (bot, TGS_MIME_TYPE, 65_537, None, Some("a TGS sticker has at most 64 KB, this has 66 KB")),
            (bot, WEBM_MIME_TYPE, 262_144, None, None),
            (bot, WEBM_MIME_TYPE, 262_145, None, Some("at most 256 KB")),
            (bot, WEBP_MIME_TYPE, 9, Some(webp(512, 300, false)), None),
            (bot, WEBP_MIME_TYPE, 9, Some(webp(513, 300, false)), Some("at most 512x512 pixels")),
            (bot, "image/png", 9, None, Some("only WebP, TGS and WebM")),
            (Some(&Platform::Email), WEBP_MIME_TYPE, 9, Some(still), Some("has no stickers")),
            (Some(&Platform::Voip), WEBP_MIME_TYPE, 9, Some(still), Some("has no stickers")),
        ];
        for (platform, mime_type, size, webp, refused) in cases {
            let told = rejection_reason(platform, mime_type, size, webp);
            match refused {
                None => assert_eq!(told, None, "{platform:?} {mime_type} {size}"),
                Some(words) => assert!(told.is_some_and(|told| told.contains(words)), "{mime_type} {size}"),
            }
        }
    }
}
