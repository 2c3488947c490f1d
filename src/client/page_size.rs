//! Reduces the page size after a response was too large, so that one huge item does not block the others.

/// Fallback page sizes, in rows.
const REDUCED_SIZES: [u32; 2] = [10, 1];
/// Number of pages read before the full size is requested again.
const PAGES_BEFORE_RESET: u32 = 20;

#[derive(Debug, Default)]
pub(crate) struct PageSize {
    /// Maximum rows, and the number of pages it still applies to.
    bound: Option<(u32, u32)>,
}

impl PageSize {
    /// Returns the number of rows to request instead of `wanted`.
    pub(crate) fn limit(&self, wanted: u32) -> u32 {
        self.bound.map_or(wanted, |(most, _)| wanted.min(most))
    }

    /// Reduces the size after a page of `asked` rows was too large.
    pub(crate) fn record_too_large(&mut self, asked: u32) {
        let smaller = REDUCED_SIZES.into_iter().find(|entry| *entry < asked).unwrap_or(1);
        self.bound = Some((smaller, PAGES_BEFORE_RESET));
    }

    /// Counts a page that was read.
    pub(crate) fn record_page(&mut self) {
        self.bound = self.bound.and_then(|(most, left)| Some((most, left.checked_sub(1)?)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_shrink_and_grow_again() {
        let mut size = PageSize::default();
        assert_eq!(size.limit(50), 50);
        size.record_too_large(50);
        assert_eq!((size.limit(50), size.limit(5)), (10, 5));
        size.record_too_large(10);
        assert_eq!(size.limit(50), 1);
        size.record_too_large(1);
        assert_eq!(size.limit(50), 1, "there is nothing smaller");
        (0..PAGES_BEFORE_RESET).for_each(|_| size.record_page());
        assert_eq!(size.limit(50), 1);
        size.record_page();
        assert_eq!(size.limit(50), 50);
    }
}
