//! The 24 faults, by name. A number chooses one of the variants of each.

use std::net::SocketAddr;
use std::time::Duration;

use crate::proxy::script::{Cut, End, Forward, Give, Read, Script};
use crate::proxy::{Door, answers};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing listens on the port.
    RefusedConnect,
    /// A connection is neither accepted nor refused.
    HangingConnect,
    DeadName,
    /// The connection ends before the request is read.
    ClosedUnread,
    /// The connection ends in the middle of the request; the service gets the first part.
    CutRequest,
    /// The request is read and never answered.
    Silence,
    /// Carried out, then the connection is closed.
    DoneThenClosed,
    /// Carried out, then the connection is reset.
    DoneThenReset,
    /// Carried out; the answer ends in its head.
    CutHead,
    /// Carried out; the answer ends in its body.
    CutBody,
    /// The answer comes late but before the timeout.
    Late,
    /// The answer comes after the timeout.
    TooLate,
    /// The answer comes byte by byte, too slowly for the timeout.
    Drip,
    /// 500 without a body, 502 with an HTML page, 503 with Retry-After, 504; may be carried out.
    ServerError,
    Limited,
    Unauthorised,
    /// 301, 302, 307 or 308 to another port.
    Redirect,
    /// Answer of a captive portal or gateway: 200 with an HTML page, or 400, 403, 404.
    Portal,
    /// 200 or 204 without a body; may be carried out.
    Empty,
    /// 200 with JSON of another shape; may be carried out.
    OtherShape,
    /// Carried out; 200 with a small body that decompresses to a large one.
    Bomb,
    /// 1,000 interim responses, then the answer or nothing.
    Interims,
    /// Not HTTP, or an endless head; may be carried out.
    Garbage,
    /// Answer of the idempotency store: 409 in progress, or a stored 500.
    Kept,
}

impl Fault {
    pub const ALL: [(Self, &str); 24] = [
        (Self::RefusedConnect, "refused-connect"),
        (Self::HangingConnect, "hanging-connect"),
        (Self::DeadName, "dead-name"),
        (Self::ClosedUnread, "closed-unread"),
        (Self::CutRequest, "cut-request"),
        (Self::Silence, "silence"),
        (Self::DoneThenClosed, "done-then-closed"),
        (Self::DoneThenReset, "done-then-reset"),
        (Self::CutHead, "cut-head"),
        (Self::CutBody, "cut-body"),
        (Self::Late, "late"),
        (Self::TooLate, "too-late"),
        (Self::Drip, "drip"),
        (Self::ServerError, "server-error"),
        (Self::Limited, "limited"),
        (Self::Unauthorised, "unauthorised"),
        (Self::Redirect, "redirect"),
        (Self::Portal, "portal"),
        (Self::Empty, "empty"),
        (Self::OtherShape, "other-shape"),
        (Self::Bomb, "bomb"),
        (Self::Interims, "interims"),
        (Self::Garbage, "garbage"),
        (Self::Kept, "kept"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|pair| pair.0 == self).map_or("?", |pair| pair.1)
    }

    /// True if only the client's timeout ends the fault.
    pub fn lasts(self) -> bool {
        matches!(self, Self::HangingConnect | Self::DeadName | Self::Silence | Self::TooLate | Self::Drip)
    }

    pub fn door(self) -> Door {
        match self {
            Self::RefusedConnect => Door::Refused,
            Self::HangingConnect => Door::Full,
            _ => Door::Open,
        }
    }

    pub fn script(self, variant: usize, trap: SocketAddr) -> Script {
        let odd = variant % 2 == 1;
        let end = if odd { End::Reset } else { End::Close };
        match self {
            Self::RefusedConnect | Self::HangingConnect | Self::DeadName => Script::pass(),
            Self::ClosedUnread => Script { read: Read::Head, ..Script::withhold(Give::Nothing(end)) },
            Self::CutRequest => {
                let read = if variant % 4 < 2 { Read::Head } else { Read::Half };
                Script { read, forward: Forward::Part, ..Script::withhold(Give::Nothing(end)) }
            }
            Self::Silence => Script::withhold(Give::Silence),
            Self::DoneThenClosed => Script::done(Give::Nothing(End::Close)),
            Self::DoneThenReset => Script::done(Give::Nothing(End::Reset)),
            Self::CutHead => Script::done(Give::Part(Cut::Head, end)),
            Self::CutBody => Script::done(Give::Part(Cut::Body, end)),
            Self::Late => Script::done(Give::Answer(Vec::new(), Duration::from_millis(40))),
            Self::TooLate => Script::done(Give::Silence),
            Self::Drip => Script::done(Give::Drip(Duration::from_millis(20))),
            Self::ServerError => Script::either(variant / 4 % 2 == 1, Give::Bytes(answers::failed(variant))),
            Self::Limited => Script::withhold(Give::Bytes(answers::limited(odd))),
            Self::Unauthorised => Script::withhold(Give::Bytes(answers::unauthorised())),
            Self::Redirect => Script::withhold(Give::Bytes(answers::redirect(variant, trap))),
            Self::Portal => Script::withhold(Give::Bytes(answers::portal(variant))),
            Self::Empty => Script::either(variant / 2 % 2 == 1, Give::Bytes(answers::empty(odd))),
            Self::OtherShape => Script::either(odd, Give::Bytes(answers::other_shape(variant / 2))),
            Self::Bomb => Script::done(Give::Bytes(answers::bomb())),
            Self::Interims if odd => Script::done(Give::Answer(answers::interims(), Duration::ZERO)),
            Self::Interims => Script::done(Give::Bytes(answers::interims())),
            Self::Garbage => Script::either(odd, Give::Bytes(answers::garbage(variant / 2))),
            Self::Kept => Script::either(odd, Give::Bytes(answers::idempotency_answer(variant / 2))),
        }
    }
}
