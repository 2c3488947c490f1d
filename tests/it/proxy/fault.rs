//! The 24 faults, by name. Each has variants, chosen by a number, so that one
//! run over many operations meets all of them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::proxy::script::{Cut, End, Forward, Give, Read, Script};
use crate::proxy::{Door, answers};

/// A way in which a request can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing listens.
    RefusedConnect,
    /// A connection is neither taken nor refused.
    HangingConnect,
    /// The name does not resolve.
    DeadName,
    /// The connection ends before the request is read.
    ClosedUnread,
    /// The connection ends while the request is on its way, and the service
    /// is given the part that came.
    CutRequest,
    /// The request is read, and nothing follows.
    Silence,
    /// The work is done, and the connection is closed.
    DoneThenClosed,
    /// The work is done, and the connection is reset.
    DoneThenReset,
    /// The work is done, and the answer ends in its head.
    CutHead,
    /// The work is done, and the answer ends in its body.
    CutBody,
    /// The answer comes late, but within the bound.
    Late,
    /// The answer comes after the bound.
    TooLate,
    /// The answer comes byte by byte, and not within the bound.
    Drip,
    /// 500 without a body, 502 as a page, 503 with Retry-After, 504; the work
    /// may be done.
    ServerError,
    /// 429, with and without Retry-After.
    Limited,
    /// 401.
    Unauthorised,
    /// 301, 302, 307, 308 to another port.
    Redirect,
    /// Somebody else's answer: 200 with a page, or a gateway's 400, 403, 404.
    Portal,
    /// 200 or 204 without a body; the work may be done.
    Empty,
    /// 200 with JSON of another shape; the work may be done.
    OtherShape,
    /// 200 with a small body that unpacks to a large one; the work is done.
    Bomb,
    /// 1,000 interim answers, then the answer, or nothing.
    Interims,
    /// Not HTTP at all, or a head without end; the work may be done.
    Garbage,
    /// What the key's keeper says: 409 in progress, or a kept 500.
    Kept,
}

impl Fault {
    /// All of them with their names.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|pair| pair.0 == self).map_or("?", |pair| pair.1)
    }

    /// Whether nothing ends it but the bound of whoever asks.
    pub fn lasts(self) -> bool {
        matches!(self, Self::HangingConnect | Self::DeadName | Self::Silence | Self::TooLate | Self::Drip)
    }

    /// How the port behaves under it.
    pub fn door(self) -> Door {
        match self {
            Self::RefusedConnect => Door::Refused,
            Self::HangingConnect => Door::Full,
            _ => Door::Open,
        }
    }

    /// What a variant of it does to a request.
    pub fn script(self, variant: usize, trap: SocketAddr) -> Script {
        let odd = variant % 2 == 1;
        let end = if odd { End::Reset } else { End::Close };
        match self {
            Self::RefusedConnect | Self::HangingConnect | Self::DeadName => Script::pass(),
            Self::ClosedUnread => Script { read: Read::Head, ..Script::kept(Give::Nothing(end)) },
            Self::CutRequest => {
                let read = if variant % 4 < 2 { Read::Head } else { Read::Half };
                Script { read, forward: Forward::Part, ..Script::kept(Give::Nothing(end)) }
            }
            Self::Silence => Script::kept(Give::Silence),
            Self::DoneThenClosed => Script::done(Give::Nothing(End::Close)),
            Self::DoneThenReset => Script::done(Give::Nothing(End::Reset)),
            Self::CutHead => Script::done(Give::Part(Cut::Head, end)),
            Self::CutBody => Script::done(Give::Part(Cut::Body, end)),
            Self::Late => Script::done(Give::Answer(Vec::new(), Duration::from_millis(40))),
            Self::TooLate => Script::done(Give::Silence),
            Self::Drip => Script::done(Give::Drip(Duration::from_millis(20))),
            Self::ServerError => Script::either(variant / 4 % 2 == 1, Give::Bytes(answers::failed(variant))),
            Self::Limited => Script::kept(Give::Bytes(answers::limited(odd))),
            Self::Unauthorised => Script::kept(Give::Bytes(answers::unauthorised())),
            Self::Redirect => Script::kept(Give::Bytes(answers::redirect(variant, trap))),
            Self::Portal => Script::kept(Give::Bytes(answers::portal(variant))),
            Self::Empty => Script::either(variant / 2 % 2 == 1, Give::Bytes(answers::empty(odd))),
            Self::OtherShape => Script::either(odd, Give::Bytes(answers::other_shape(variant / 2))),
            Self::Bomb => Script::done(Give::Bytes(answers::bomb())),
            Self::Interims if odd => Script::done(Give::Answer(answers::interims(), Duration::ZERO)),
            Self::Interims => Script::done(Give::Bytes(answers::interims())),
            Self::Garbage => Script::either(odd, Give::Bytes(answers::garbage(variant / 2))),
            Self::Kept => Script::either(odd, Give::Bytes(answers::kept(variant / 2))),
        }
    }
}
