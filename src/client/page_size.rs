//! How many rows are asked for at once, after a page was too large to be
//! read: fewer, so that one huge item does not keep the others away. Pure.

/// Asked for instead, each when the one before was too large.
const SMALLER: [u32; 2] = [10, 1];
/// Pages that must come before full ones are asked for again.
const AFTER: u32 = 20;

/// The bound on a page, if one stands.
#[derive(Debug, Default)]
pub(crate) struct PageSize {
    /// The bound, and how many more pages it holds for.
    bound: Option<(u32, u32)>,
}

impl PageSize {
    /// How many rows to ask for where so many were wanted.
    pub(crate) fn of(&self, wanted: u32) -> u32 {
        self.bound.map_or(wanted, |(most, _)| wanted.min(most))
    }

    /// A page of so many rows was too large.
    pub(crate) fn too_large(&mut self, asked: u32) {
        let smaller = SMALLER.into_iter().find(|entry| *entry < asked).unwrap_or(1);
        self.bound = Some((smaller, AFTER));
    }

    /// A page came.
    pub(crate) fn answered(&mut self) {
        self.bound = self.bound.and_then(|(most, left)| Some((most, left.checked_sub(1)?)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_shrink_and_grow_again() {
        let mut size = PageSize::default();
        assert_eq!(size.of(50), 50);
        size.too_large(50);
        assert_eq!((size.of(50), size.of(5)), (10, 5));
        size.too_large(10);
        assert_eq!(size.of(50), 1);
        size.too_large(1);
        assert_eq!(size.of(50), 1, "there is nothing smaller");
        (0..AFTER).for_each(|_| size.answered());
        assert_eq!(size.of(50), 1);
        size.answered();
        assert_eq!(size.of(50), 50);
    }
}
