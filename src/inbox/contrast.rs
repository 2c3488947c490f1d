//! Contrast as the web's accessibility guidelines define it (WCAG 2), and
//! colours computed to reach it.

/// Least contrast of a text and its ground.
pub const READABLE: f64 = 4.5;
/// Contrast of a text that stands back without becoming hard to read.
const QUIET: f64 = 5.0;
/// Contrast of the selected row's ground and the ground around it.
const SELECTION: f64 = 1.3;
/// Above a limit, so that rounding to whole numbers stays above it, too.
const MARGIN: f64 = 0.08;
/// Steps between two colours.
const STEPS: u32 = 128;
/// The six levels of the 6x6x6 cube among a terminal's 256 colours.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// A colour of a screen: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Self = Self(0, 0, 0);
    /// White.
    pub const WHITE: Self = Self(255, 255, 255);

    /// One of a terminal's colours above the first sixteen, which themes
    /// leave alone.
    pub fn indexed(number: u8) -> Self {
        match number.checked_sub(16) {
            Some(place @ 0..216) => {
                let level = |byte: u8| CUBE[usize::from(byte % 6)];
                Self(level(place / 36), level(place / 6), level(place))
            }
            _ => {
                let grey = number.saturating_sub(232) * 10 + 8;
                Self(grey, grey, grey)
            }
        }
    }

    fn channels(self) -> [u8; 3] {
        [self.0, self.1, self.2]
    }

    /// How bright it is, from 0 to 1.
    pub fn luminance(self) -> f64 {
        let [red, green, blue] = self.channels().map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of two colours, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(two) / one.min(two)
    }

    fn least_contrast(self, grounds: &[Self]) -> f64 {
        grounds.iter().map(|ground| self.contrast(*ground)).fold(f64::INFINITY, f64::min)
    }

    /// A colour on the way to another.
    fn toward(self, other: Self, step: u32) -> Self {
        let mixed = |from: u8, to: u8| {
            let sum = u32::from(from) * (STEPS - step) + u32::from(to) * step;
            u8::try_from(sum / STEPS).unwrap_or(u8::MAX)
        };
        Self(mixed(self.0, other.0), mixed(self.1, other.1), mixed(self.2, other.2))
    }

    /// The nearest colour that can be read on all of these grounds: its own
    /// hue, lighter or darker.
    pub fn readable_on(self, grounds: &[Self], least: f64) -> Self {
        let end = extreme(grounds);
        let steps = (0..=STEPS).map(|step| self.toward(end, step));
        let found = steps.into_iter().find(|step| step.least_contrast(grounds) >= least + MARGIN);
        found.unwrap_or(end)
    }

    /// Letters that stand back from these: as near to the ground as they can
    /// be read with ease, and never before them.
    pub fn quiet_on(self, ground: Self, least: f64) -> Self {
        let least = least.max(QUIET) + MARGIN;
        let steps = (0..=STEPS).rev().map(|step| self.toward(ground, step));
        steps.into_iter().find(|step| step.contrast(ground) >= least).unwrap_or(self)
    }

    /// The ground of a selected row: a step from this ground toward the
    /// letters, or away from them where letters could not be read on it.
    pub fn selection(self, letters: Self) -> Self {
        let away = extreme(&[letters]);
        let step_to = |end: Self| {
            let steps = (1..=STEPS).map(|step| self.toward(end, step));
            steps.into_iter().find(|step| step.contrast(self) >= SELECTION)
        };
        let reads = |entry: &Self| {
            let grounds = [self, *entry];
            extreme(&grounds).least_contrast(&grounds) >= READABLE + MARGIN
        };
        let found = [letters, away].into_iter().filter_map(step_to).find(reads);
        found.unwrap_or(self)
    }

    fn distance(self, other: Self) -> u32 {
        let pairs = self.channels().into_iter().zip(other.channels());
        pairs.map(|(one, two)| u32::from(one.abs_diff(two)).pow(2)).sum()
    }

    /// The same hue at its brightest.
    fn brightest(self) -> Self {
        let most = u32::from(self.0.max(self.1).max(self.2).max(1));
        let raised = |byte: u8| u8::try_from(u32::from(byte) * 255 / most).unwrap_or(u8::MAX);
        Self(raised(self.0), raised(self.1), raised(self.2))
    }

    /// The number of the terminal's colour that comes nearest to a selected
    /// row's ground and is a step from this one, but no leap.
    pub fn indexed_selection(self, wanted: Self) -> u8 {
        let is_step = |byte: &u8| (1.2..1.5).contains(&Self::indexed(*byte).contrast(self));
        let steps = (16..=u8::MAX).filter(is_step);
        let nearest = steps.min_by_key(|step| Self::indexed(*step).distance(wanted));
        nearest.unwrap_or_else(|| wanted.nearest_indexed(&[self], 1.2))
    }

    /// The number of the terminal's colour that comes nearest and can be read
    /// on all of these.
    pub fn nearest_indexed(self, grounds: &[Self], least: f64) -> u8 {
        let distance = |byte: &u8| {
            let other = Self::indexed(*byte);
            // Its hue is as much of a colour as how bright it is.
            self.distance(other) + self.brightest().distance(other.brightest())
        };
        let reads = |byte: &u8| Self::indexed(*byte).least_contrast(grounds) >= least;
        let readable = (16..=u8::MAX).filter(reads).min_by_key(distance);
        readable.or_else(|| (16..=u8::MAX).min_by_key(distance)).unwrap_or(u8::MAX)
    }
}

/// Black or white: what differs more from all of these.
fn extreme(grounds: &[Rgb]) -> Rgb {
    let by_contrast =
        |one: &Rgb, two: &Rgb| one.least_contrast(grounds).total_cmp(&two.least_contrast(grounds));
    [Rgb::BLACK, Rgb::WHITE].into_iter().max_by(by_contrast).unwrap_or(Rgb::WHITE)
}

fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        let cases = [
            (Rgb::BLACK, Rgb::WHITE, 21.0),
            (Rgb(0x77, 0x77, 0x77), Rgb::WHITE, 4.48),
            (Rgb(255, 0, 0), Rgb::WHITE, 4.0),
            (Rgb(0x83, 0x94, 0x96), Rgb(0, 0x2b, 0x36), 4.75),
        ];
        for (one, two, expected) in cases {
            assert!((one.contrast(two) - expected).abs() < 0.01, "{one:?} {two:?}: {}", one.contrast(two));
            assert!((two.contrast(one) - expected).abs() < 0.01);
        }
    }

    #[test]
    fn numbered_colours_are_those_of_the_cube_and_the_greys() {
        let cases = [
            (16, Rgb(0, 0, 0)),
            (208, Rgb(255, 135, 0)),
            (231, Rgb::WHITE),
            (232, Rgb(8, 8, 8)),
            (255, Rgb(238, 238, 238)),
        ];
        for (number, expected) in cases {
            assert_eq!(Rgb::indexed(number), expected, "{number}");
            assert_eq!(Rgb::indexed(expected.nearest_indexed(&[], 0.0)), expected);
        }
    }

    #[test]
    fn colours_become_readable_on_every_ground() {
        for grey in 0..=u8::MAX {
            let ground = Rgb(grey, grey, grey);
            for hue in [Rgb(220, 50, 47), Rgb(38, 139, 210), Rgb(181, 137, 0), ground] {
                let made = hue.readable_on(&[ground], READABLE);
                assert!(made.contrast(ground) >= READABLE, "{made:?} on {ground:?}");
                let number = hue.nearest_indexed(&[ground], READABLE);
                assert!(Rgb::indexed(number).contrast(ground) >= READABLE, "{number} on {ground:?}");
            }
        }
    }
}
