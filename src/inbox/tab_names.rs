//! Chooses the visible tabs and cuts their names: first the words all names share, then the ends of
//! the longest; if that is not enough, the line begins with a later tab, so that the active one is
//! visible.

use crate::wrap;

/// Minimum cells of a cut name.
const MIN_NAME_CELLS: usize = 3;
/// Cells of the mark for tabs before the first visible one.
pub const HIDDEN_TABS_MARK_CELLS: usize = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleTabs {
    /// The first tab in the line.
    pub first: usize,
    pub names: Vec<String>,
}

/// `rest` are the cells each tab takes beside its name, with the separator; `room` is the width.
pub fn fit_tabs(names: &[&str], rest: &[usize], active: usize, room: usize) -> VisibleTabs {
    let taken = |names: &[String]| -> usize {
        names.iter().map(|name| wrap::cells(name)).sum::<usize>() + rest.iter().sum::<usize>()
    };
    let whole: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    if taken(&whole) <= room {
        return VisibleTabs { first: 0, names: whole };
    }
    let shared = shared_prefix_bytes(names);
    let mut ends: Vec<String> = names.iter().map(|name| name[shared..].to_owned()).collect();
    if let (Some(end), Some(name)) = (ends.get_mut(active), whole.get(active)) {
        let short = std::mem::replace(end, name.clone());
        if taken(&ends) > room {
            ends[active] = short;
        }
    }
    let widths = name_widths(&ends, active, room.saturating_sub(rest.iter().sum()));
    let names = cut_names(&ends, &widths);
    let first = first_visible_tab(&names, rest, active, room);
    VisibleTabs { first, names }
}

/// Bytes of the leading words all names share, if something is left of each.
fn shared_prefix_bytes(names: &[&str]) -> usize {
    let [first, others @ ..] = names else { return 0 };
    if others.is_empty() {
        return 0;
    }
    let ends = first.match_indices(' ').map(|(at, _)| at + 1);
    let is_shared =
        |end: &usize| others.iter().all(|text| text.len() > *end && text.starts_with(&first[..*end]));
    ends.take_while(is_shared).filter(|end| *end < first.len()).last().unwrap_or(0)
}

/// Cells of each name: the longest is shortened first, the active one last.
fn name_widths(names: &[String], active: usize, room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = names.iter().map(|name| wrap::cells(name)).collect();
    while widths.iter().sum::<usize>() > room {
        let longest =
            (0..widths.len()).filter(|number| *number != active).max_by_key(|number| widths[*number]);
        let gives = longest.filter(|longest| widths[*longest] > MIN_NAME_CELLS).unwrap_or(active);
        match widths.get_mut(gives).filter(|width| **width > MIN_NAME_CELLS) {
            Some(width) => *width -= 1,
            None => break,
        }
    }
    widths
}

/// Cuts the names; those that would look the same keep their ends.
fn cut_names(names: &[String], widths: &[usize]) -> Vec<String> {
    let heads: Vec<String> = names.iter().zip(widths).map(|(name, width)| wrap::cut(name, *width)).collect();
    let alike = |at: usize| {
        (0..heads.len())
            .any(|number| number != at && heads[number] == heads[at] && names[number] != names[at])
    };
    let all = names.iter().zip(widths).enumerate();
    all.map(|(at, (name, width))| if alike(at) { wrap::cut_middle(name, *width) } else { heads[at].clone() })
        .collect()
}

/// The first tab of a line that includes the active one.
fn first_visible_tab(names: &[String], rest: &[usize], active: usize, room: usize) -> usize {
    let wide = |at: usize| names.get(at).map_or(0, |name| wrap::cells(name)) + rest.get(at).unwrap_or(&0);
    let seen = |first: usize| {
        let before = if first > 0 { HIDDEN_TABS_MARK_CELLS } else { 0 };
        before + (first..=active).map(wide).sum::<usize>() <= room
    };
    (0..=active).find(|number| seen(*number)).unwrap_or(active)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, active tab, room; first visible tab and the names.
    type Case<'a> = (&'a [&'a str], usize, usize, usize, &'a [&'a str]);

    #[test]
    fn the_active_tab_is_seen_and_names_can_be_told_apart() {
        let harbor = ["Harbor chat", "Harbor bot", "Harbor mail", "Harbor phone"];
        let many = ["Berlin", "Bergen", "Berne", "Bermuda", "Beirut", "Bengaluru", "Belém", "Belfast"];
        let cases: [Case<'_>; 8] = [
            (&harbor, 0, 100, 0, &harbor),
            (&harbor, 0, 66, 0, &["Harbor chat", "bot", "mail", "phone"]),
            (&harbor, 2, 66, 0, &["chat", "bot", "Harbor mail", "phone"]),
            (&harbor, 1, 56, 0, &["chat", "bot", "mail", "phone"]),
            (&harbor, 3, 52, 0, &["ch…", "bot", "ma…", "ph…"]),
            (&["Berlin shop", "Berlin depot"], 0, 35, 0, &["shop", "depot"]),
            (&["Main"], 0, 12, 0, &["Ma…"]),
            (&many, 7, 60, 4, &["B…n", "B…n", "B…e", "B…a", "B…t", "B…u", "B…m", "B…t"]),
        ];
        for (names, active, room, first, expected) in cases {
            let found = fit_tabs(names, &vec![10; names.len()], active, room);
            assert_eq!(found.names, expected, "{names:?} in {room}");
            assert_eq!(found.first, first, "{names:?} in {room}");
        }
    }

    #[test]
    fn no_tabs_and_no_room_do_no_harm() {
        assert_eq!(fit_tabs(&[], &[], 0, 10), VisibleTabs { first: 0, names: Vec::new() });
        assert_eq!(fit_tabs(&["A", "B"], &[10, 10], 1, 0).first, 1);
        assert_eq!(fit_tabs(&["Same", "Same"], &[10, 10], 0, 26).names, ["Sa…", "Sa…"]);
    }
}
