//! Tools as published to an assistant: name, description, fields and function.

use anyhow::Result;
use serde_json::Value;

use crate::cli::mcp::arguments::{ArgumentKind, ToolArguments, ToolField};
use crate::cli::mcp::tools::{
    ToolBox, add_note, customer, find, levels, list_conversations, propose_action, propose_reply,
    read_conversation,
};
use model::text::SafeText;

/// Longest snooze in minutes: a year.
const MAX_SNOOZE_MINUTES: u32 = 366 * 24 * 60;

pub(super) type RunTool = fn(&ToolBox, &SafeText, &ToolArguments<'_>) -> Result<Value>;

pub(super) struct McpTool {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) writes: bool,
    pub(super) fields: &'static [ToolField],
    pub(super) run: RunTool,
}

const fn field(name: &'static str, kind: ArgumentKind, required: bool, doc: &'static str) -> ToolField {
    ToolField { name, kind, required, doc }
}

const CHANNEL: ToolField =
    field("channel", ArgumentKind::Text(200), false, "Only this channel, by its configured name.");
const ON_CHANNEL: ToolField =
    field("channel", ArgumentKind::Text(200), true, "The channel, as list_conversations names it.");
const CONVERSATION: ToolField =
    field("conversation", ArgumentKind::Text(200), true, "The id of the conversation.");
const REASON: ToolField =
    field("reason", ArgumentKind::Text(500), true, "Why, in a sentence for the person who decides.");

/// All tools, reading ones first.
pub(super) const TOOLS: &[McpTool] = &[
    McpTool {
        name: "list_conversations",
        doc: "List conversations, those with the newest activity first.",
        writes: false,
        fields: &[
            CHANNEL,
            field(
                "status",
                ArgumentKind::Word(&["open", "needs-reply", "closed", "all"]),
                false,
                "Status of the conversations; default: open.",
            ),
            field(
                "limit",
                ArgumentKind::Number(1, 100),
                false,
                "Maximum number of conversations of each channel; default: 20.",
            ),
        ],
        run: list_conversations,
    },
    McpTool {
        name: "read_conversation",
        doc: "Read the newest messages and the private notes of a conversation.",
        writes: false,
        fields: &[
            ON_CHANNEL,
            CONVERSATION,
            field("limit", ArgumentKind::Number(1, 100), false, "Maximum number of messages; default: 30."),
        ],
        run: read_conversation,
    },
    McpTool {
        name: "search",
        doc: "Find people, messages and notes in which all words are found.",
        writes: false,
        fields: &[
            field(
                "words",
                ArgumentKind::Text(200),
                true,
                "Words to search for: each is the beginning of a word.",
            ),
            CHANNEL,
            field(
                "limit",
                ArgumentKind::Number(1, 50),
                false,
                "Maximum number of messages of each channel; default: 20.",
            ),
        ],
        run: find,
    },
    McpTool {
        name: "customer",
        doc: "Read what is known about the customer of a conversation: contact, tags, data from connections, \
              other channels.",
        writes: false,
        fields: &[ON_CHANNEL, CONVERSATION],
        run: customer,
    },
    McpTool {
        name: "stats",
        doc: "Read how fast customers are answered, and by whom.",
        writes: false,
        fields: &[
            CHANNEL,
            field(
                "since",
                ArgumentKind::Text(20),
                false,
                "First day: today, yesterday, 7d or a date; default: 7d.",
            ),
        ],
        run: levels,
    },
    McpTool {
        name: "propose_reply",
        doc: "Propose a reply. It is not sent: a person sends, edits or drops it.",
        writes: true,
        fields: &[
            ON_CHANNEL,
            CONVERSATION,
            field("text", ArgumentKind::Text(4096), true, "The text, in the customer's language."),
            REASON,
        ],
        run: propose_reply,
    },
    McpTool {
        name: "propose_action",
        doc: "Propose an action. It is not done: a person does or drops it.",
        writes: true,
        fields: &[
            ON_CHANNEL,
            CONVERSATION,
            field(
                "action",
                ArgumentKind::Word(&["pause", "hand-back", "close", "snooze", "tag"]),
                true,
                "Pause the AI, hand back to it, close the conversation, put it aside, or add a tag.",
            ),
            field("minutes", ArgumentKind::Number(1, MAX_SNOOZE_MINUTES), false, "For snooze: how long."),
            field("tag", ArgumentKind::Text(64), false, "For tag: the word."),
            REASON,
        ],
        run: propose_action,
    },
    McpTool {
        name: "add_note",
        doc: "Leave a private note, which never goes to the customer, under your name.",
        writes: true,
        fields: &[ON_CHANNEL, CONVERSATION, field("text", ArgumentKind::Text(4096), true, "The note.")],
        run: add_note,
    },
];
