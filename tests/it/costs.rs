//! Cost of gestures: reads of the files, and bytes to the terminal; database steps are counted in
//! `store`. A list twice as long costs the same.

use frontdesk::inbox::event::Load;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::news::News;
use frontdesk::shell::frames;

use crate::desk::Desk;

/// Conversations of the shorter list, more than one load.
const FEW: u32 = 400;
/// Messages per conversation.
const MESSAGES: u64 = 3;

/// Gestures with their maximum costs: reads the frame waits for, all reads, bytes of the frame.
const GESTURES: [(&str, Gesture, Cost); 11] = [
    ("a move", Gesture::Keys("j"), (0, 2, 1_578)),
    ("a move back", Gesture::Keys("k"), (0, 1, 1_412)),
    ("ten moves at once", Gesture::Keys("jjjjjjjjjj"), (0, 19, 1_435)),
    ("a scroll", Gesture::Keys("jjjjjjjjj"), (0, 18, 3_540)),
    ("to the top", Gesture::Keys("gg"), (1, 4, 3_492)),
    ("opening", Gesture::Keys("j<Enter>"), (2, 6, 3_575)),
    ("reading back", Gesture::Keys("k"), (0, 0, 69)),
    ("news that change nothing", Gesture::News, (2, 5, 0)),
    ("writing a note", Gesture::Keys(";"), (0, 0, 2_733)),
    ("a letter", Gesture::Keys("y"), (0, 0, 28)),
    ("the next letter", Gesture::Keys("z"), (0, 0, 28)),
];

type Cost = (usize, usize, usize);

#[derive(Debug, Clone, Copy)]
enum Gesture {
    Keys(&'static str),
    News,
}

/// Cost of each gesture on a list of this length.
fn costs(conversations: u32) -> Vec<Cost> {
    let mut desk = Desk::on_server("http://127.0.0.1:9/v1", "svc_live_0123456789");
    desk.resize((120, 40));
    desk.fill(conversations, MESSAGES * u64::from(conversations));
    let bytes = |desk: &Desk, before: &mut ratatui::buffer::Buffer| {
        let (mut out, after) = (Vec::new(), desk.buffer());
        frames::write_changes(&mut out, (before, &[]), (&after, &[])).expect("a vector takes every byte");
        out.len()
    };
    let mut cost = |(_, gesture, _): &(&str, Gesture, Cost)| {
        desk.loads.clear();
        let mut before = desk.buffer();
        match gesture {
            Gesture::Keys(keys) => {
                desk.keys(keys);
            }
            Gesture::News => {
                desk.deliver_news(News::Conversations(ChannelId::from("whatsapp")));
            }
        }
        let waited = |load: &&Load| matches!(load, Load::History(_) | Load::Conversations(_));
        (desk.loads.iter().filter(waited).count(), desk.loads.len(), bytes(&desk, &mut before))
    };
    GESTURES.iter().map(&mut cost).collect()
}

#[test]
fn a_gesture_costs_no_more_on_a_longer_list_nor_than_it_did() {
    let (few, many) = (costs(FEW), costs(2 * FEW));
    let mut wrong = Vec::new();
    for ((name, _, most), (few, many)) in GESTURES.iter().zip(few.into_iter().zip(many)) {
        if few != many {
            wrong.push(format!("{name} costs {few:?} of {FEW} and {many:?} of {} conversations", 2 * FEW));
        }
        if few.0 > most.0 || few.1 > most.1 || few.2 > most.2 {
            wrong.push(format!("{name} costs {few:?}, not {most:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
