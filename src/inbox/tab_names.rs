//! Which tabs are seen in their line, and how much of each name: what all
//! names begin with goes first, then the ends of the longest; where even that
//! does not do, the line begins with a later tab, so that the active one is
//! seen. Pure.

use crate::wrap;

/// Cells of a name that is cut as far as it may be.
const LEAST: usize = 3;
/// Cells of the mark that tells of tabs before the first one seen.
pub const BEFORE: usize = 1;

/// What of the tabs is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleTabs {
    /// The first tab in the line.
    pub first: usize,
    /// What is seen of each name.
    pub names: Vec<String>,
}

/// Chooses. `rest` holds the cells each tab takes beside its name, the line
/// after it included; there is room for `room` cells.
pub fn shown(names: &[&str], rest: &[usize], active: usize, room: usize) -> VisibleTabs {
    let taken = |names: &[String]| -> usize {
        names.iter().map(|name| wrap::cells(name)).sum::<usize>() + rest.iter().sum::<usize>()
    };
    let whole: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    if taken(&whole) <= room {
        return VisibleTabs { first: 0, names: whole };
    }
    let shared = shared_words(names);
    let mut ends: Vec<String> = names.iter().map(|name| name[shared..].to_owned()).collect();
    if let (Some(end), Some(name)) = (ends.get_mut(active), whole.get(active)) {
        let short = std::mem::replace(end, name.clone());
        if taken(&ends) > room {
            ends[active] = short;
        }
    }
    let widths = widths(&ends, active, room.saturating_sub(rest.iter().sum()));
    let names = cut(&ends, &widths);
    let first = first(&names, rest, active, room);
    VisibleTabs { first, names }
}

/// Bytes of the words all names begin with, where something is left of each.
fn shared_words(names: &[&str]) -> usize {
    let [first, others @ ..] = names else { return 0 };
    if others.is_empty() {
        return 0;
    }
    let ends = first.match_indices(' ').map(|(at, _)| at + 1);
    let is_shared =
        |end: &usize| others.iter().all(|text| text.len() > *end && text.starts_with(&first[..*end]));
    ends.take_while(is_shared).filter(|end| *end < first.len()).last().unwrap_or(0)
}

/// Cells of each name: the longest gives way first, the active one last.
fn widths(names: &[String], active: usize, room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = names.iter().map(|name| wrap::cells(name)).collect();
    while widths.iter().sum::<usize>() > room {
        let longest =
            (0..widths.len()).filter(|number| *number != active).max_by_key(|number| widths[*number]);
        let gives = longest.filter(|longest| widths[*longest] > LEAST).unwrap_or(active);
        match widths.get_mut(gives).filter(|width| **width > LEAST) {
            Some(width) => *width -= 1,
            None => break,
        }
    }
    widths
}

/// The names in so many cells; those that would look alike keep their ends.
fn cut(names: &[String], widths: &[usize]) -> Vec<String> {
    let heads: Vec<String> = names.iter().zip(widths).map(|(name, width)| wrap::cut(name, *width)).collect();
    let alike = |at: usize| {
        (0..heads.len())
            .any(|number| number != at && heads[number] == heads[at] && names[number] != names[at])
    };
    let all = names.iter().zip(widths).enumerate();
    all.map(|(at, (name, width))| if alike(at) { wrap::cut_inside(name, *width) } else { heads[at].clone() })
        .collect()
}

/// The first tab of a line in which the active one is seen.
fn first(names: &[String], rest: &[usize], active: usize, room: usize) -> usize {
    let wide = |at: usize| names.get(at).map_or(0, |name| wrap::cells(name)) + rest.get(at).unwrap_or(&0);
    let seen = |first: usize| {
        let before = if first > 0 { BEFORE } else { 0 };
        before + (first..=active).map(wide).sum::<usize>() <= room
    };
    (0..=active).find(|number| seen(*number)).unwrap_or(active)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, the active one, the room; the first that is seen, and the names.
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
            let found = shown(names, &vec![10; names.len()], active, room);
            assert_eq!(found.names, expected, "{names:?} in {room}");
            assert_eq!(found.first, first, "{names:?} in {room}");
        }
    }

    #[test]
    fn no_tabs_and_no_room_do_no_harm() {
        assert_eq!(shown(&[], &[], 0, 10), VisibleTabs { first: 0, names: Vec::new() });
        assert_eq!(shown(&["A", "B"], &[10, 10], 1, 0).first, 1);
        assert_eq!(shown(&["Same", "Same"], &[10, 10], 0, 26).names, ["Sa…", "Sa…"]);
    }
}
