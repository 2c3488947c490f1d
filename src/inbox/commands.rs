//! The command table: every command with its name, its help line, its place and
//! the keys it has unless a person chose others. The key map, help, hints and
//! the README's key table are all made from it.

/// Where a command's keys act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandScope {
    /// The conversation list.
    List,
    /// The message history.
    History,
    /// The list and the history: wherever a conversation is at hand.
    Conversation,
    /// The pages of rows.
    Rows,
    /// The outbox.
    Outbox,
    /// The people.
    People,
    /// The webhooks.
    Webhooks,
    /// The broadcasts.
    Broadcasts,
    /// The pages with a search: the people and what comes behind them.
    Deck,
    /// Going through threads of mails.
    Triage,
    /// Every pane that is not a text field.
    Desk,
    /// The composer.
    Composer,
}

impl CommandScope {
    /// The heading in help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::List => "Conversation list",
            Self::History => "Messages",
            Self::Conversation => "The conversation at hand",
            Self::Rows => "Pages of rows",
            Self::Outbox => "Outbox",
            Self::People => "People",
            Self::Webhooks => "Webhooks",
            Self::Broadcasts => "Broadcasts",
            Self::Deck => "People and other lists",
            Self::Triage => "Triage of mail",
            Self::Desk => "Everywhere but in text",
            Self::Composer => "Composer",
        }
    }

    /// All places in the order help shows them.
    pub const ALL: [Self; 12] = [
        Self::Conversation,
        Self::List,
        Self::History,
        Self::Triage,
        Self::Outbox,
        Self::People,
        Self::Webhooks,
        Self::Broadcasts,
        Self::Deck,
        Self::Rows,
        Self::Desk,
        Self::Composer,
    ];
}

macro_rules! commands {
    ($($name:ident $place:ident [$($keys:literal),*] $word:literal $doc:literal;)*) => {
        /// What a person can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Command {
            $(#[doc = $doc] $name,)*
        }

        /// The table, in the order help shows it.
        pub const TABLE: &[CommandRow] = &[
            $(CommandRow {
                command: Command::$name,
                ident: stringify!($name),
                place: CommandScope::$place,
                keys: &[$($keys),*],
                word: $word,
                doc: $doc,
            },)*
        ];
    };
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct CommandRow {
    /// The command.
    pub command: Command,
    ident: &'static str,
    /// Where its keys act.
    pub place: CommandScope,
    /// Key sequences; the first is the one hints show. A person may choose
    /// others: [`crate::keymap`].
    pub keys: &'static [&'static str],
    /// One or two words for the hint line.
    pub word: &'static str,
    /// One line for help, in which `{name}` stands for that command's key.
    pub doc: &'static str,
}

commands! {
    Reply Conversation ["r"] "reply" "Write an answer; in the history it quotes the selected message";
    Write Conversation ["i"] "write" "Write without quoting";
    ReplyAll Conversation ["R"] "reply all" "Mail: answer to all who have it";
    Forward Conversation ["F"] "forward" "Mail: pass it on, quoted; its files stay behind";
    WriteNumber Conversation ["Ctrl-N"] "new" "Phone: write an SMS to a number that is typed. Mail: write a new mail";
    Call Conversation ["C"] "call" "Phone: let the AI call a number; asks first";
    WriteNote Conversation [";"] "note" "Write a private note: kept on this desk, never sent";
    Template Conversation ["t"] "template" "Send an approved template; the only thing that leaves once the window has closed";
    Canned Conversation ["c"] "canned" "Pick a canned reply; it is inserted, never sent";
    PauseAi Conversation ["p"] "pause AI" "Pause the AI: take the conversation over";
    HandBack Conversation ["P"] "hand back" "Hand the conversation back to the AI";
    Close Conversation ["e"] "close" "Close the conversation, after a hold that {undo} ends. Mail: archive the thread";
    CloseAndNext Conversation ["E"] "close, next" "Close and go to the next one that waits";
    Triage Conversation ["T"] "triage" "Mail: go through the unread threads of the list, one at a time";
    Star Conversation ["*"] "star" "Mail: give a star, or take it away";
    SetCategory Conversation ["&"] "category" "Mail: say what the thread is about";
    Snooze Conversation ["s"] "snooze" "Put aside until a time or a reply, or wake";
    Tags Conversation ["#"] "tags" "Edit the tags of the customer";
    Claim Conversation ["@"] "claim" "Claim the conversation under your name, or release it; kept on this desk";
    Unseen Conversation ["u"] "seen" "Mark as seen, or as not seen yet: it stands out again; kept on this desk. Mail: read or unread, on the server, too";
    Broadcast Conversation ["b"] "broadcast" "Send one message to the people of all that is marked, in waves; looked over and held first";
    TakeOffer Desk ["Y"] "accept" "Do what the status line offers: put aside until a reply, send what waited for credits";
    Undo Desk ["z"] "undo" "Take back what was done last: held messages and closes, snoozes, pauses, marks";
    Repeat Conversation ["."] "repeat" "Do again what was done last to a conversation: pause, hand back, close, snooze, tags, claim, reaction";
    PlayMacro Desk ["m"] "macro" "Play a macro: then its letter; it stops at the first refusal and at every question";
    RecordMacro Desk ["Q"] "record" "Record a macro under a letter, and end it again";
    NextWaiting Desk ["w"] "next waiting" "Go to the next conversation whose customer waits";
    PreviousWaiting Desk ["W"] "previous waiting" "Go to the one before it";
    MostUrgent Desk ["g w"] "most urgent" "Go to the conversation that needs someone most, in any tab";
    Card Conversation ["I"] "card" "Show or hide the customer's card";
    LookUp Conversation ["L"] "look up" "Ask the business's own systems about the customer; their answers stand on the card";
    OpenOutside Conversation ["o"] "open outside" "Open the message's file or link outside; asks first";
    Elsewhere Conversation ["g x"] "elsewhere" "Go to the same number or mail address on another tab";
    Raw Conversation ["d"] "raw" "Show the item as the server sent it";
    Pipe Conversation ["|"] "pipe" "Give the item as JSON to a command of yours, and show what it says; asks once for each command";
    Down List ["j", "Down"] "down" "Next conversation";
    Up List ["k", "Up"] "up" "Previous conversation";
    Open List ["Enter", "l", "Right"] "open" "Open the conversation";
    Mark List ["Space"] "mark" "Mark, and go down: {pause-ai}, {hand-back}, {close}, {snooze} act on all that is marked";
    MarkRange List ["v"] "range" "Mark a range from here to where you go; again ends it";
    MarkAll List ["V a"] "mark all" "Mark all of this list, also what is not loaded";
    MarkInverted List ["V i"] "invert" "Mark what is not marked, and the reverse";
    MarkNone List ["V n", "Esc"] "no marks" "Take all marks away; without marks, the filter";
    MarkAgain List ["V r"] "again" "Mark again what was acted on last";
    FilterList List ["/"] "filter" "Filter the list as you type: words, status: ai: window: from: tag: has: is:, -not, \"a phrase\"";
    ChooseView List ["\\"] "views" "Choose a saved view: who needs me, AI failing, closed, and your own";
    SortByActivity List [", a"] "activity" "Sort by activity, newest first";
    SortByWaiting List [", w"] "waiting" "Sort by who has waited longest";
    SortByUrgency List [", u"] "urgency" "Sort by who needs you most: whom the AI fails, trouble, then the longest wait";
    SortByWindow List [", x"] "window" "Sort by the window that closes next";
    SortByName List [", n"] "name" "Sort by name";
    SortByCategory List [", c"] "category" "Sort by category, where threads have one";
    SortByPriority List [", p"] "priority" "Sort by priority, where threads have one";
    MessageDown History ["j", "Down"] "down" "Next message";
    MessageUp History ["k", "Up"] "up" "Previous message; older ones load as you go";
    React History ["+"] "react" "Put an emoji on the selected message";
    RemoveReaction History ["-"] "unreact" "Remove your reaction from the selected message";
    GoToQuoted History ["Enter"] "quoted" "Go to the message the selected one quotes";
    HtmlView History ["H"] "HTML" "Mail: show the plain text, or the HTML as text";
    QuotedText History ["U"] "unfold" "Mail: unfold what was quoted, or fold it again";
    OpenInBrowser History ["B"] "browser" "Mail: open it in the browser, without scripts and pictures; asks first";
    SaveFile History ["S"] "save file" "Mail: save an attached file under a safe name";
    FirstUnseen History ["g n"] "first unseen" "Go to the first message new since you looked";
    NextConversation History ["J"] "next" "Next conversation, while reading";
    PreviousConversation History ["K"] "previous" "Previous conversation, while reading";
    Decide History ["a"] "decide" "Decide over a stopped message: send, edit or drop; says first what each does";
    ShowPicture History ["v"] "picture" "Show the selected message's picture here, or hide it; asks before a new host is asked";
    FindInHistory History ["/"] "find" "Look for words in this conversation as you type";
    OlderHit History ["n"] "older hit" "Go to the next older message in which it was found";
    NewerHit History ["N"] "newer hit" "Go to the next newer one";
    Back History ["Esc", "h", "Left"] "back" "Back to the list";
    DecideLater Triage ["Space"] "later" "Decide later: it comes again at the end";
    SameForAll Triage ["A"] "same for all" "The last decision for all of its sender; asks first";
    LeaveTriage Triage ["Esc"] "leave" "Back to the list; what was decided stays";
    DecideRow Outbox ["a"] "decide" "Decide over what asks: send, edit or drop; says first what each does";
    DecideAll Outbox ["A"] "send all" "Send all that waited for a connection, after showing which can go";
    RowNow Outbox ["s"] "send now" "End the hold: it leaves now";
    RowBack Outbox ["e"] "edit" "Take what has not left back into the composer";
    NewPerson People ["a"] "new" "Add a person";
    EditPerson People ["e"] "edit" "Edit name, mail address, tags and metadata; merged with what the server has";
    MarkPerson People ["Space"] "mark" "Mark the person, and go down";
    MarkAllPeople People ["V a"] "mark all" "Mark all that the search fits, also those the server has not told yet";
    MarkNoPeople People ["V n"] "no marks" "Take all marks away";
    BroadcastPeople People ["b"] "broadcast" "Send one message to all that are marked, or to the chosen person";
    TagPerson People ["#"] "tags" "Edit the tags";
    DeletePerson People ["D"] "delete" "Delete the person with the conversation's history; wants the last four digits";
    NewBroadcast Broadcasts ["b"] "new" "Go on with the form that was left; {broadcast} on marked people or conversations begins another";
    PauseBroadcast Broadcasts ["p"] "pause" "Pause it: no further wave leaves";
    ContinueBroadcast Broadcasts ["c"] "continue" "Let it go on, with another limit of failures if wanted";
    StopBroadcast Broadcasts ["S"] "stop" "Stop it between waves, for good; asks first";
    ShowRecipients Broadcasts ["d"] "recipients" "Whom it went to and what became of each, as far as messages show";
    RetryFailed Broadcasts ["R"] "retry failed" "A new broadcast to those that failed";
    CopyFailed Broadcasts ["y f"] "copy failed" "Copy the numbers of those that failed";
    ExportReport Broadcasts ["e"] "report" "Write a CSV report with a line for each recipient";
    NewWebhook Webhooks ["a"] "new" "Register a webhook, with a secret made here and shown once";
    RemoveWebhook Webhooks ["D"] "remove" "Remove the webhook; asks first";
    SearchRows Deck ["/"] "search" "Search as you type: here at once; people on the server, too";
    RowDown Rows ["j", "Down"] "down" "Next row";
    RowUp Rows ["k", "Up"] "up" "Previous row";
    GoToRow Rows ["Enter", "l", "Right"] "go to" "Go to its conversation";
    AllTabs Rows ["\\"] "all tabs" "Show this tab, or all tabs";
    LeaveRows Rows ["Esc", "h", "Left"] "back" "Back to the conversations";
    CopyText Conversation ["y m"] "copy text" "Copy the selected message's text";
    CopyPhone Conversation ["y p"] "copy phone" "Copy the customer's phone number or address";
    CopyId Conversation ["y i"] "copy id" "Copy the conversation's id";
    CopyLink Conversation ["y l"] "copy link" "Copy the link of the selected message's file";
    CopyTranscript Conversation ["y t"] "copy all" "Copy the messages at hand as text";
    CopyError Conversation ["y e"] "copy error" "Copy why the selected message could not be sent";
    CopyCurl Desk ["y c"] "copy curl" "Copy the newest change or failed request of this tab as a curl command, without the key";
    SearchAll Desk ["g /"] "search" "Look for words in everything seen, in all tabs";
    ShowActions Desk ["x"] "actions" "What can be done with what is at hand; what cannot be done says why";
    LastPlace Desk ["`"] "last place" "Go back to where you were before: a conversation, a page or a tab; again comes back";
    OpenPalette Desk ["Ctrl-P", "Ctrl-K"] "palette" "Find commands, people, views and tabs by a few of their letters";
    CommandLine Desk [":"] "command" "Type a command: filter, view, tab, sort, open, search, export and all others";
    GoToInbox Desk ["g i"] "inbox" "The conversations";
    GoToOutbox Desk ["g o"] "outbox" "The outbox: what has not left yet, and what asks";
    GoToDrafts Desk ["g d"] "drafts" "The drafts: every text begun and not sent";
    GoToTemplates Desk ["g t"] "templates" "The approved templates of this channel, and what is filled in where";
    GoToEvents Desk ["g e"] "events" "What the triggers tell: messages, contacts, orders, appointments, campaigns";
    GoToWebhooks Desk ["g k"] "webhooks" "Who else is told of what happens on this channel";
    GoToAccount Desk ["g a"] "account" "The account behind the key: balance, number, what the key can do, prices";
    GoToPhone Desk ["g v"] "voice, SMS" "The tab of the phone, if there is one";
    ShowCredits Desk ["$"] "credits" "The balance, what was spent from here, and what waits for credits";
    GoToPeople Desk ["g p"] "people" "The people: contacts of this tab, their tags and metadata";
    GoToBroadcasts Desk ["g b"] "broadcasts" "The broadcasts: what goes on and what went, wave by wave";
    GoToWall Desk ["g W"] "wall" "The wall: every channel in a line, for a screen that is passed by";
    GoToSnoozed Desk ["g s"] "snoozed" "What was put aside";
    ShowPaused Desk ["g h"] "paused" "Whose AI you have paused, for how long and who waits; {hand-back} hands back";
    ShowDone Desk ["g z"] "undo list" "What was done from here, and what can be taken back";
    ShowResults Desk ["g r"] "results" "What became of the last action on many";
    ShowCalls Desk ["g l"] "requests" "What was asked of the servers lately, how they answered and how fast; each as a curl command";
    ShowUnreadable Desk ["g u"] "unreadable" "What the server sent to this tab that could not be read, as it came";
    AskConnection Desk ["!"] "ask" "Ask any endpoint of a connection, with a form for what it wants to know";
    ShowConnectionCalls Desk ["g L"] "connections" "The calls of connections: when, what, for whom, how they were answered and how fast";
    MailFolders Desk ["g f"] "folders" "Mail: show a folder, a category, unread or starred threads; the server looks, too";
    MailContacts Desk ["g m"] "addresses" "Mail: find whom mails were exchanged with, and go to their chat";
    HalfDown Desk ["Ctrl-D"] "half page" "Half a page down";
    HalfUp Desk ["Ctrl-U"] "half page" "Half a page up";
    PageDown Desk ["PgDn"] "page" "A page down";
    PageUp Desk ["PgUp"] "page" "A page up";
    Top Desk ["g g", "Home"] "top" "To the top";
    Bottom Desk ["G", "End"] "bottom" "To the bottom, where new messages appear";
    NextPane Desk ["Tab"] "pane" "Next pane";
    PreviousPane Desk ["Shift-Tab"] "pane" "Previous pane";
    NextTab Desk ["]"] "tab" "Next tab";
    PreviousTab Desk ["["] "tab" "Previous tab";
    GoToAll Desk ["0"] "all tabs" "Go to the conversations of all tabs in one list";
    GoToTab Desk ["1", "2", "3", "4", "5", "6", "7", "8", "9"] "tab" "Go to the tab of that number";
    KeepBeside Conversation ["="] "beside" "From 220 columns: keep this conversation beside the next one you open; on it again lets it go";
    SwapBeside Desk ["g ="] "swap" "Swap the two conversations that stand beside each other";
    Zoom Desk ["f"] "zoom" "Fill the screen with this pane, or show the others again";
    Narrower Desk ["<"] "narrower" "Make the list narrower";
    Wider Desk [">"] "wider" "Make the list wider";
    Mouse Desk ["M", "F6"] "mouse" "Leave the mouse to the terminal, to select text with it; again takes it back";
    Blur Desk ["F9"] "blur" "Hide names, numbers and addresses while others look at the screen";
    Refresh Desk ["Ctrl-R", "F5"] "refresh" "Ask the server now";
    Redraw Desk ["Ctrl-L"] "redraw" "Draw the screen anew";
    Suspend Desk ["Ctrl-Z"] "suspend" "Suspend to the shell; fg comes back";
    Help Desk ["?", "F1"] "help" "This help; / in it finds a key by its name or words";
    Quit Desk ["q"] "quit" "Quit; says first what is left open";
    Interrupt Desk ["Ctrl-C"] "quit" "Twice quits; drafts are safe";
    Send Composer ["Enter", "Ctrl-X"] "send" "Send, held for a few seconds; on an empty composer: send what is held now";
    NewLine Composer ["Ctrl-J", "Alt-Enter", "Shift-Enter"] "new line" "New line";
    UndoEdit Composer ["Ctrl-_", "Ctrl-Z"] "undo" "Undo an edit";
    RedoEdit Composer ["Ctrl-Y"] "redo" "Redo it";
    LineStart Composer ["Ctrl-A", "Home"] "start" "Start of the line";
    LineEnd Composer ["Ctrl-E", "End"] "end" "End of the line";
    WordLeft Composer ["Ctrl-Left", "Alt-b"] "word" "One word left";
    WordRight Composer ["Ctrl-Right", "Alt-f"] "word" "One word right";
    DeleteWord Composer ["Ctrl-W"] "word" "Delete the word before the cursor";
    DeleteToStart Composer ["Ctrl-U"] "kill" "Delete to the start of the line";
    DeleteToEnd Composer ["Ctrl-K"] "kill" "Delete to the end of the line";
    Menu Composer ["Ctrl-O"] "more" "What else can be written or sent: canned replies (/ or ::), emoji (:name Tab), and more";
    Attach Composer ["Ctrl-T"] "attach" "Send a file, or a link to one, with the text as its caption; a path pasted or dropped here is recognised";
    TurnMarkup Composer ["Ctrl-F"] "markup" "Bot-chat: send as plain text, HTML or MarkdownV2; the send key says which";
    SendLater Composer ["Ctrl-L"] "later" "Send at a time: in an hour, tomorrow, or as you say it; needs frontdesk to run then";
    EditOutside Composer ["Ctrl-G"] "editor" "Edit the text in $VISUAL or $EDITOR; it comes back here, nothing is sent";
    SwitchMode Composer ["Ctrl-N"] "note" "Switch between the answer and a private note; each keeps its text";
    DropQuote Composer ["Backspace"] "no quote" "On an empty text: answer without quoting";
    PaletteInText Composer ["Ctrl-P"] "palette" "The palette";
    HelpInText Composer ["F1"] "help" "This help; / in it finds a key by its name or words";
    Leave Composer ["Esc", "Tab", "Ctrl-C"] "leave" "Leave the composer; the draft is kept. Tab first goes to open fields and completes :emoji";
}

/// The name a command is called by: stable, with dashes.
pub fn name(command: Command) -> String {
    let mut name = String::new();
    for it in row(command).ident.chars() {
        if it.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(it.to_ascii_lowercase());
    }
    name
}

/// The command of a name.
pub fn named(name: &str) -> Option<Command> {
    let found = TABLE.iter().map(|it| it.command).find(|it| self::name(*it) == name);
    found.or(match name {
        "q" => Some(Command::Quit),
        _ => None,
    })
}

/// The row of a command.
pub fn row(command: Command) -> &'static CommandRow {
    // Every command comes from a row, so the first row is never reached.
    TABLE.iter().find(|it| it.command == command).unwrap_or(&TABLE[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_words() {
        for row in TABLE {
            assert!(
                !row.keys.is_empty() && !row.word.is_empty() && !row.doc.ends_with('.'),
                "{:?}",
                row.command
            );
        }
    }
}
