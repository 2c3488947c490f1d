//! What eyes see that lack one of the three kinds of cones.

use frontdesk::inbox::contrast::Rgb;
use frontdesk::inbox::palette_view::ThemePalette;
use frontdesk::inbox::terminal_colors::{ColorDepth, TerminalColors};
use frontdesk::inbox::theme_view::Theme;

use super::terminals::TERMINALS;
use super::{drawn, seen, styles};

type Matrix = [[f64; 3]; 3];

/// Full deficiency in linear light, after Machado, Oliveira and Fernandes 2009.
const EYES: [(&str, Matrix); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    (
        "tritanopia",
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ),
];

/// Two colours that are this far apart are told apart at a glance: a just
/// noticeable difference is about 2.
const APART: f64 = 6.0;

/// Meanings that stand in the same place of a row, so that besides their words
/// only the colour or the weight tells them apart. TEST has another border besides, the bars
/// of charts other strokes, and what was found is underlined.
const PAIRS: [(&str, &str); 5] = [
    ("error", "needs_a_person"),
    ("error", "strong"),
    ("error", "quiet"),
    ("needs_a_person", "strong"),
    ("needs_a_person", "quiet"),
];

fn times(matrix: Matrix, of: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * of[0] + row[1] * of[1] + row[2] * of[2])
}

fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

/// A colour as eyes see it, in a space where distances are as they look
/// (Oklab), from 0 to 100.
fn perceived(color: Rgb, eyes: Matrix) -> [f64; 3] {
    let light =
        times(eyes, [linear(color.0), linear(color.1), linear(color.2)]).map(|value| value.clamp(0.0, 1.0));
    let cones = times(
        [
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ],
        light,
    );
    times(
        [
            [21.045_425_53, 79.361_778_50, -0.407_204_68],
            [197.799_849_51, -242.859_220_50, 45.059_370_99],
            [2.590_403_71, 78.277_176_62, -80.867_576_60],
        ],
        cones.map(f64::cbrt),
    )
}

fn distance(one: Rgb, two: Rgb, eyes: Matrix) -> f64 {
    let pairs = perceived(one, eyes).into_iter().zip(perceived(two, eyes));
    pairs.map(|(one, two)| (one - two).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_distance_is_none_for_what_eyes_cannot_tell_apart() {
    let (red, green) = (Rgb(0xaa, 0x44, 0x22), Rgb(0x68, 0x68, 0x22));
    let [(_, all), _, (_, deuteranopia), _] = EYES;
    assert!(distance(red, green, all) > 14.0);
    assert!(distance(red, green, deuteranopia) < 6.0, "{}", distance(red, green, deuteranopia));
    assert!((distance(Rgb::BLACK, Rgb::WHITE, all) - 100.0).abs() < 0.1);
}

#[test]
fn colour_blind_eyes_tell_apart_what_differs_by_colour() {
    let mut near = Vec::new();
    for terminal in TERMINALS {
        for depth in [ColorDepth::Direct, ColorDepth::Indexed] {
            let silent = TerminalColors { depth, ..TerminalColors::UNKNOWN };
            let told =
                TerminalColors { ground: Some(terminal.ground), letters: Some(terminal.letters), ..silent };
            for known in [silent, told] {
                let theme = Theme::new(ThemePalette::ColourBlind, false).on(known);
                let look = |name: &str| {
                    let style = styles(theme).into_iter().find(|style| style.0 == name).expect("a style").1;
                    let cell = drawn(theme, style, false);
                    (seen(&cell, terminal), cell.modifier)
                };
                for (one, two) in PAIRS {
                    for (eyes, matrix) in EYES {
                        let ((first, weight), (second, other_weight)) = (look(one), look(two));
                        if weight != other_weight {
                            continue;
                        }
                        let apart =
                            distance(first.0, second.0, matrix).max(distance(first.1, second.1, matrix));
                        if apart < APART {
                            near.push(format!(
                                "{apart:.1} {one} {two} {eyes} {} {depth:?} {first:?} {second:?}",
                                terminal.name
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(near.is_empty(), "{}\n{}", near.len(), near.join("\n"));
}
