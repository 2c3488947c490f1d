//! Screens of a team as text: a file for each size, with what one person sees while Ana is there.
//! `stories/team.rs` leads there and checks what they must say.

use crate::pictures::acts::{Screen, compare, draw};
use crate::stories::four_sizes::SIZES;
use crate::stories::team::{
    back_again, crossed_by_a_colleague, handed_over, taken_while_ana_types, without_a_network,
};

const FOLDER: &str = "tests/it/pictures/team";

const SCREENS: [Screen; 5] = [
    ("Taken while Ana types", taken_while_ana_types),
    ("Handed over to Ana", handed_over),
    ("Ana answered meanwhile: the question before sending", crossed_by_a_colleague),
    ("Without a network", without_a_network),
    ("Back again: Ana took it meanwhile", back_again),
];

#[test]
fn the_screens_of_a_team_are_those_of_today() {
    for (size, text) in SIZES.into_iter().zip(draw(&SCREENS)) {
        compare(FOLDER, size, &text);
    }
}
