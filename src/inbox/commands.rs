//! The command table: one row per command with its name, place, default keys, hint, help line,
//! availability check and function.
//!
//! Keys, palette, help, hints, plain mode and the README are generated from the rows. Their data is
//! in [`crate::command`], the functions are called here.

use crate::Inbox;
use crate::command::{Command, Reason};
use crate::conditions::{always, on_conversation, on_mail, on_writable_tab};
use crate::desk_commands as desk;
use crate::features::cheapest_way;
use crate::features::commands as features;
use crate::features::team;
use crate::keys::KeyPress;
use crate::notice::update as notice;
use crate::screens::broadcasts::commands as broadcasts;
use crate::screens::broadcasts::sending;
use crate::screens::composer::commands as composer;
use crate::screens::composer::draft_conflict;
use crate::screens::composer::editor;
use crate::screens::composer::suggestions::transcribing;
use crate::screens::composer::suggestions::update as suggesting;
use crate::screens::connections::commands as connections;
use crate::screens::conversations::card::update as card;
use crate::screens::conversations::commands as conversations;
use crate::screens::history::commands as history;
use crate::screens::history::pipe;
use crate::screens::history::voice;
use crate::screens::mail::commands as mail;
use crate::screens::mail::invitations;
use crate::screens::outbox::commands as outbox;
use crate::screens::people::commands as people;
use crate::screens::people::csv_import::update as importing;
use crate::screens::phone::commands as phone;
use crate::screens::proposals::commands as proposals;
use crate::screens::reviews::commands as reviews;
use crate::screens::templates::submitting;
use crate::screens::webhooks::commands as webhooks;

/// Availability of a command, or the reason against it; `{command-name}` is replaced by its key.
pub(crate) type Enabled = fn(&Inbox) -> Result<(), Reason>;
/// Runs an available command; some depend on the key.
pub(crate) type Run = fn(&mut Inbox, KeyPress);
/// Runs a `:` line, or returns the reason why not.
pub(crate) type RunLine = fn(&mut Inbox, &str) -> Result<(), Reason>;
pub(crate) type Completions = fn(&Inbox) -> Vec<String>;

/// The rows, passed to a macro that makes data or functions from them.
macro_rules! each_command {
    ($make:ident) => {
        $make! {
            Reply Conversation ["r"] "reply" "Write a reply; in the history, quote the selected message" => composer::may_write, composer::reply;
            Write Conversation ["i"] "write" "Write without quoting" => composer::may_write, composer::write;
            ReplyAll Conversation ["R"] "reply all" "Mail: reply to all recipients" => mail::may_answer, mail::reply_all;
            Forward Conversation ["F"] "forward" "Mail: forward with quote and files" => mail::may_answer, mail::forward;
            Accept Conversation ["@ y"] "accept" "Mail: accept the invitation; {undo} undo" => invitations::may_answer, mail::accept;
            Decline Conversation ["@ n"] "decline" "Mail: decline the invitation; {undo} undo" => invitations::may_answer, mail::decline;
            Maybe Conversation ["@ m"] "maybe" "Mail: accept the invitation tentatively; {undo} undo" => invitations::may_answer, mail::maybe;
            WriteNumber Conversation ["Ctrl-N"] "new" "Phone: write an SMS to any number. Mail: write a new mail" => phone::may_write_number, phone::write_number;
            Call Conversation ["C"] "call" "Phone: let the AI call a number; asks first" => phone::may_call, phone::call;
            WriteNote Conversation [";"] "note" "Write a private note, never sent to the customer" => on_conversation, composer::write_note;
            Template Conversation ["T"] "template" "Send an approved template; after the reply window has closed, only templates can be sent" => composer::may_send_template, composer::template;
            Canned Conversation ["c"] "canned" "Pick a canned reply; it is inserted, never sent" => composer::may_write, composer::open_canned_replies;
            Brief Conversation ["B"] "brief" "Show the brief in five lines: asked, tried, known, open" => suggesting::may_suggest, suggesting::brief;
            Translate Conversation ["X"] "translate" "Show the selected message in your language, by your model; asked once for each message" => suggesting::may_suggest, suggesting::translate;
            Summarise Conversation ["Ctrl-O"] "summary" "Summarise the whole conversation, by your model; kept until the next message" => suggesting::may_suggest, suggesting::summary;
            Transcribe Conversation ["Ctrl-W"] "transcribe" "Transcribe the selected voice note, by your model; asks before a new host" => voice::may_transcribe, transcribing::transcribe;
            Take Conversation ["t"] "take" "Take over: pause the AI, claim the conversation and write; {undo} undo" => conversations::may_take, conversations::take;
            Done Conversation ["d"] "done" "Hand back to the AI, release and close, then open the most urgent; {undo} undo. Mail: archive. Bot and phone: put away until they write" => conversations::may_finish, conversations::finish;
            PauseAi Conversation ["p"] "pause AI" "Pause the AI only" => conversations::may_pause_ai, conversations::pause_ai;
            DraftOnly Conversation ["A"] "draft-only" "Keep the AI paused here and prepare a draft reply to each customer message; again to stop" => conversations::may_draft_only, conversations::draft_only;
            HandBack Conversation ["P"] "hand back" "Hand the conversation back to the AI" => conversations::may_hand_back, conversations::hand_back;
            Triage Conversation ["Ctrl-T"] "triage" "Mail: go through the unread threads of the list, one at a time" => mail::may_triage, mail::triage;
            Star Conversation ["*"] "star" "Mail: add or remove a star" => mail::may_file, mail::star;
            DeleteThread Conversation ["D"] "delete" "Mail: move the thread to the trash, or back" => mail::may_file, mail::delete_thread;
            MarkSpam Conversation ["%"] "spam" "Mail: mark the thread as spam, or not spam" => mail::may_file, mail::mark_spam;
            MoveThread Conversation ["^"] "move" "Mail: move the thread into a folder" => mail::may_file, mail::move_thread;
            MakeRule Conversation ["\""] "rule" "Mail: new rule for this sender: archive, star and others; preview first" => mail::may_make_rule, mail::make_rule;
            SetCategory Conversation ["&"] "category" "Mail: set the category" => mail::may_file, mail::set_category;
            Later Conversation ["s"] "later" "Snooze until a time or a reply, with an optional note" => conversations::may_change_locally, conversations::later;
            Tags Conversation ["#"] "tags" "Edit the tags of the customer" => conversations::may_change_locally, conversations::tags;
            Claim Conversation [] "claim" "Claim the conversation under your name, or release it" => conversations::may_change_locally, conversations::claim;
            Unseen Conversation ["u"] "seen" "Mark as seen or unseen; kept on this desk. Mail: read or unread, also on the server" => conversations::may_mark_seen, conversations::toggle_seen;
            Broadcast Conversation ["b"] "broadcast" "Send one message to all marked, in waves; reviewed and held first" => broadcasts::may_broadcast, broadcasts::broadcast;
            SendUnpaid Desk ["Y"] "send unpaid" "Send messages that waited for credits; asks first" => features::may_send_unpaid, features::send_unpaid;
            Undo Desk ["z"] "undo" "Undo the last act: held messages and closes, snoozes, pauses, marks" => features::may_undo, features::undo;
            Repeat Conversation ["."] "repeat" "Repeat the last act: take, done, pause, hand back, later, tags, claim, reaction" => features::may_repeat, features::repeat;
            PlayMacro Desk ["m"] "macro" "Play a macro by its letter; stops at the first error or question" => always, features::play_macro;
            NextUrgent Desk ["w"] "next urgent" "Go to the next conversation that needs a person, most urgent first, on any channel" => always, conversations::next_urgent;
            SendNow Conversation ["Ctrl-X"] "send now" "Send the held message of this conversation now" => composer::may_send_now, composer::send_now;
            Card Conversation ["I"] "card" "Show or hide the customer's card" => conversations::may_show_card, conversations::card;
            LookUp Conversation ["L"] "look up" "Look the customer up in your own systems; shown on the card" => connections::may_look_up, connections::look_up;
            OpenOutside Conversation ["o"] "open outside" "Open the message's file or link outside; asks first" => always, history::open_outside;
            Elsewhere Conversation [] "elsewhere" "Go to the same customer on another channel" => on_conversation, history::go_to_other_conversation;
            WriteCheapest Conversation ["~"] "cheapest way" "Write on the cheapest channel that reaches the customer; says why" => cheapest_way::may_write_cheapest, cheapest_way::write_cheapest;
            SendContact Conversation [] "contact card" "Send a contact: a name, a number and a company" => composer::may_send_contact, composer::send_contact;
            LinkPreview Conversation [] "link preview" "Send the text in the composer with or without a preview of its first link" => composer::may_switch_preview, composer::switch_preview;
            Raw Conversation ["="] "server data" "Show the raw data of the server" => on_conversation, history::open_raw_view;
            Pipe Conversation ["|"] "pipe" "Pipe the item as JSON to a shell command and show its output; asks once for each command" => on_conversation, history::pipe;
            Down List ["j", "Down"] "down" "Next conversation" => always, conversations::down;
            Up List ["k", "Up"] "up" "Previous conversation" => always, conversations::up;
            Open List ["Enter", "l", "Right"] "open" "Open the conversation" => always, conversations::open;
            Mark List ["Space"] "mark" "Mark and go down; {take}, {done}, {later}, {pause-ai} and {hand-back} act on all marked" => conversations::may_mark, conversations::mark;
            MarkRange List ["V v"] "range" "Start a range of marks; again to end it" => conversations::may_mark, conversations::mark_range;
            MarkAll List ["V a"] "mark all" "Mark the whole list, loaded or not" => conversations::may_mark, conversations::mark_all;
            MarkInverted List ["V i"] "invert" "Invert the marks" => conversations::may_mark, conversations::mark_inverted;
            MarkNone List ["V n", "Esc"] "no marks" "Remove all marks; without marks, the filter" => always, conversations::mark_none;
            MarkAgain List ["V r"] "again" "Restore the marks of the last bulk action" => conversations::may_restore_marks, conversations::restore_marks;
            FilterList List ["f"] "filter" "Filter this view as you type: words, status: ai: window: from: tag: has: is:, -not, \"a phrase\"" => always, conversations::filter_list;
            ChooseView List ["v"] "views" "Choose a view: inbox, all open, later, closed, sent, unread, and your own" => always, conversations::choose_view;
            SortByActivity List [", a"] "activity" "Sort by activity, newest first" => always, conversations::sort_by_activity;
            SortByWaiting List [", w"] "waiting" "Sort by longest wait" => always, conversations::sort_by_waiting;
            SortByUrgency List [", u"] "urgency" "Sort by urgency: AI failing, other trouble, longest wait" => always, conversations::sort_by_urgency;
            SortByWindow List [", x"] "window" "Sort by reply window, next to close first" => always, conversations::sort_by_window;
            SortByName List [", n"] "name" "Sort by name" => always, conversations::sort_by_name;
            SortByCategory List [", c"] "category" "Sort by category, where threads have one" => conversations::may_sort_threads, conversations::sort_by_category;
            SortByPriority List [", p"] "priority" "Sort by priority, where threads have one" => conversations::may_sort_threads, conversations::sort_by_priority;
            MessageDown History ["j", "Down"] "down" "Next message" => always, history::message_down;
            MessageUp History ["k", "Up"] "up" "Previous message; older ones load as you go" => always, history::message_up;
            React History ["+"] "react" "React to the selected message with an emoji" => history::may_react, history::react;
            RemoveReaction History ["-"] "unreact" "Remove your reaction from the selected message" => history::may_remove_reaction, history::remove_reaction;
            GoToQuoted History ["Enter"] "quoted" "Go to the quoted message" => always, history::go_to_quoted;
            HtmlView History ["H"] "HTML" "Mail: switch between plain text and HTML as text" => mail::may_read, mail::html_view;
            QuotedText History ["U"] "unfold" "Mail: fold or unfold header and quotes" => mail::may_read, mail::quoted_text;
            OpenInBrowser History ["O"] "browser" "Mail: open in the browser, without scripts and pictures; asks first" => mail::may_read, mail::open_in_browser;
            SaveFile History ["S"] "save file" "Mail: save attached files under safe names" => mail::may_read, mail::save_file;
            FirstUnseen History [] "first unseen" "Go to the first unseen message" => always, history::first_unseen;
            NextConversation History ["J"] "next" "Next conversation, while reading" => always, conversations::next_conversation;
            PreviousConversation History ["K"] "previous" "Previous conversation, while reading" => always, conversations::previous_conversation;
            Decide History ["a"] "decide" "Decide on a stopped message: send, edit or drop" => outbox::may_decide, outbox::decide;
            ShowPicture History ["v"] "picture" "Show or hide the selected message's picture; asks before a new host" => always, history::show_picture;
            FindInHistory History ["f"] "find" "Search this conversation as you type" => always, history::find_in_history;
            OlderHit History ["n"] "older hit" "Next older match" => history::may_step_hits, history::older_hit;
            NewerHit History ["N"] "newer hit" "Next newer match" => history::may_step_hits, history::newer_hit;
            Back History ["Esc", "h", "Left"] "back" "Back to the list" => always, history::back;
            CardDown Card ["j", "Down"] "down" "Next conversation on another channel" => always, card::card_down;
            CardUp Card ["k", "Up"] "up" "Previous conversation on another channel" => always, card::card_up;
            CardOpen Card ["Enter", "l", "Right"] "go" "Go to the selected conversation" => conversations::may_open_from_card, card::open_selected;
            CardBack Card ["Esc", "h", "Left"] "back" "Back to the messages" => always, card::leave_card;
            DecideLater Triage ["Space"] "later" "Decide later: shown again at the end" => on_mail, mail::decide_later;
            SameForAll Triage ["A"] "same for all" "Apply the last decision to all of this sender; asks first" => on_mail, mail::apply_to_sender;
            SearchInTriage Triage ["/"] "search" "Leave triage and search everything; decisions are kept" => on_mail, mail::search_in_triage;
            LeaveTriage Triage ["Esc"] "leave" "Back to the list; decisions are kept" => on_mail, mail::leave_triage;
            DecideRow Outbox ["a"] "decide" "Decide on a stopped message: send, edit or drop" => outbox::may_decide, outbox::decide;
            DecideAll Outbox ["A"] "send all" "Send all messages that waited for a connection; preview first" => outbox::may_decide_all, outbox::decide_all;
            RowNow Outbox ["s"] "send now" "Send the held message now" => outbox::may_send_now, outbox::send_row_now;
            RowBack Outbox ["e"] "edit" "Back to the composer, if not sent yet" => outbox::may_recall, outbox::recall_row;
            AcceptProposal Proposals ["a"] "send, do" "Send the proposed reply or do the proposed action" => proposals::may_accept, proposals::accept;
            EditProposal Proposals ["e"] "edit" "Put the proposed reply into the composer" => proposals::may_edit, proposals::edit;
            DropProposal Proposals ["x"] "drop" "Drop the proposal; {undo} undo" => proposals::is_chosen, proposals::drop_proposal;
            GoodAnswer Reviews ["a"] "good" "Good answer" => reviews::is_chosen, reviews::accept_answer;
            BadAnswer Reviews ["x"] "bad" "Bad answer: give the reason and the right answer" => reviews::is_chosen, reviews::reject_answer;
            NewPerson People ["a"] "new" "Add a person" => people::may_add, people::new_person;
            EditPerson People ["e"] "edit" "Edit name, mail address, tags and metadata" => people::may_change, people::edit_person;
            MarkPerson People ["Space"] "mark" "Mark the person and go down" => people::has_people, people::mark_person;
            MarkAllPeople People ["V a"] "mark all" "Mark all matches, loaded or not" => people::has_people, people::mark_all_people;
            MarkNoPeople People ["V n"] "no marks" "Remove all marks" => people::has_people, people::mark_no_people;
            BroadcastPeople People ["b"] "broadcast" "Send one message to all marked, or to the selected person" => broadcasts::may_broadcast, broadcasts::broadcast_people;
            TagPerson People ["#"] "tags" "Edit the tags" => people::may_change, people::tag_person;
            DeletePerson People ["D"] "delete" "Delete the person and the conversation; asks for the last four digits" => people::may_change, people::delete_person;
            NewBroadcast Broadcasts ["b"] "new" "Continue the unfinished form; {broadcast} on marked people or conversations starts another" => broadcasts::may_broadcast, broadcasts::new_broadcast;
            PauseBroadcast Broadcasts ["p"] "pause" "Pause: no more waves are sent" => broadcasts::may_pause, broadcasts::pause;
            ContinueBroadcast Broadcasts ["c"] "continue" "Continue, optionally with another failure limit" => broadcasts::may_continue, broadcasts::continue_paused;
            StopBroadcast Broadcasts ["S"] "stop" "Stop for good between waves; asks first" => broadcasts::may_stop, broadcasts::stop;
            ShowRecipients Broadcasts ["d"] "recipients" "Recipients and the outcome of each, as far as known" => broadcasts::is_chosen, broadcasts::show_recipients;
            RetryFailed Broadcasts ["R"] "retry failed" "New broadcast to the failed recipients" => broadcasts::may_retry_failed, broadcasts::retry_failed;
            CopyFailed Broadcasts ["y f"] "copy failed" "Copy the numbers of failed recipients" => broadcasts::is_chosen, broadcasts::copy_failed;
            ExportReport Broadcasts ["e"] "report" "Write a CSV report with a line for each recipient" => broadcasts::is_chosen, broadcasts::export_report;
            NewWebhook Webhooks ["a"] "new" "Register a webhook; its secret is shown once" => on_writable_tab, webhooks::new_webhook;
            RemoveWebhook Webhooks ["D"] "remove" "Remove the webhook; asks first" => webhooks::may_remove, webhooks::remove_webhook;
            ShowEvents Webhooks ["e"] "events" "Events of this channel: messages, contacts, orders, appointments, campaigns" => always, desk::go_to_events;
            NewTemplate Templates ["a"] "new" "Write a template and submit it to the platform for review" => submitting::may_submit, submitting::new_template;
            SearchRows Deck ["/"] "search" "Search as you type; people also on the server" => desk::may_search_rows, desk::search_rows;
            RowDown Rows ["j", "Down"] "down" "Next line" => always, desk::row_down;
            RowUp Rows ["k", "Up"] "up" "Previous line" => always, desk::row_up;
            GoToRow Rows ["Enter", "l", "Right"] "go to" "Go to its conversation" => desk::may_go_to_row, desk::go_to_row;
            AllTabs Rows ["\\"] "all channels" "Switch between this channel and all channels" => desk::may_show_all_tabs, desk::all_tabs;
            LeaveRows Rows ["Esc", "h", "Left"] "back" "Back to the conversations" => always, desk::leave_rows;
            CopyText Conversation ["y m"] "copy text" "Copy the selected message's text" => always, features::copy_text;
            CopyPhone Conversation ["y p"] "copy phone" "Copy the customer's phone number or address" => always, features::copy_phone;
            CopyId Conversation ["y i"] "copy id" "Copy the conversation's id" => always, features::copy_id;
            CopyHeader Conversation ["y h"] "copy header" "Mail: copy the Message-ID of the mail" => mail::may_copy_header, mail::copy_header;
            CopyLink Conversation ["y l"] "copy link" "Copy the link of the selected message's file" => always, features::copy_link;
            CopyTranscript Conversation ["y t"] "copy all" "Copy the loaded messages as text" => always, features::copy_transcript;
            CopyError Conversation ["y e"] "copy error" "Copy why the selected message could not be sent" => always, features::copy_error;
            CopyCurl Desk ["y c"] "copy curl" "Copy the newest change or failed request of this channel as a curl command, without the key" => always, desk::copy_curl;
            SearchAll Desk ["/"] "search" "Search every channel; matches in this view first" => always, desk::search_all;
            ShowActions Desk ["x"] "actions" "All actions here; unavailable ones with the reason" => always, desk::show_actions;
            OpenPalette Desk ["Ctrl-P", "Ctrl-K"] "palette" "Find commands, people, views and channels by a few letters" => always, desk::open_palette;
            CommandLine Desk [":"] "command" "Type a command: filter, view, tab, sort, open, search, export and others" => always, desk::command_line;
            GoToInbox Desk ["g i"] "inbox" "The conversations" => always, desk::go_to_inbox;
            GoToOutbox Desk ["g o"] "outbox" "Outbox: unsent messages, and those that need a decision" => always, desk::go_to_outbox;
            ShowProposals Desk [] "proposals" "Replies and actions proposed by assistants" => always, desk::show_proposals;
            ShowReviews Desk [] "reviews" "Review queue: rate a sample of AI answers" => always, desk::show_reviews;
            GoToDrafts Desk [] "drafts" "All unsent drafts" => always, desk::go_to_drafts;
            GoToTemplates Desk ["g t"] "templates" "Templates of this channel, their fields and whether they are approved" => always, desk::go_to_templates;
            GoToEvents Desk [] "events" "Trigger events: messages, contacts, orders, appointments, campaigns" => always, desk::go_to_events;
            GoToWebhooks Desk ["g w"] "webhooks" "Webhooks of this channel; {show-events} events" => always, desk::go_to_webhooks;
            GoToAccount Desk ["g a"] "account" "Account: balance, number, permissions of the key, prices" => always, desk::go_to_account;
            GoToPhone Desk [] "voice, SMS" "Go to the phone channel" => always, phone::go_to_phone;
            ShowCredits Desk ["$"] "credits" "Balance, spending and messages waiting for credits" => always, features::show_credits;
            GoToPeople Desk ["g p"] "people" "Contacts of this channel, with tags and metadata" => always, desk::go_to_people;
            GoToBroadcasts Desk ["g b"] "broadcasts" "Broadcasts, running and finished, by wave" => always, desk::go_to_broadcasts;
            GoToWall Desk [] "wall" "Wall: a line for each channel, for a big screen" => always, desk::go_to_wall;
            GoToSnoozed Desk [] "snoozed" "Snoozed conversations" => always, conversations::go_to_snoozed;
            NeedsYou Desk ["g n"] "needs you" "All that needs you on any channel, by urgency; then pauses and news since you left; :handover copies a summary for the next shift" => always, features::show_attention;
            ShowServiceLevels Desk [] "service levels" "Answer times by channel, hour and person; takeover rate" => always, features::show_service_levels;
            ShowDone Desk [] "undo list" "Acts of this desk, and those that can be undone" => always, features::show_done;
            ShowResults Desk [] "results" "Results of the last bulk action" => conversations::may_show_results, conversations::show_results;
            ShowCalls Desk [] "requests" "Recent server requests with status and time; each as a curl command" => always, desk::show_calls;
            ShowUnreadable Desk [] "unreadable" "Unreadable data from the server, in raw form" => history::may_show_unreadable, history::show_unreadable;
            AskConnection Desk ["!"] "ask system" "Ask one of your own systems, with a form" => connections::may_ask, connections::ask_connection;
            ShowConnectionCalls Desk [] "connections" "Recent connection calls with status and time" => always, connections::show_connection_calls;
            MailFolders Desk [] "folders" "Mail: show a folder, a category, unread or starred threads" => on_mail, mail::mail_folders;
            ShowRules Desk [] "rules" "Mail: rules for senders: switch, change, remove, undo their actions" => on_mail, mail::show_rules;
            MailContacts Desk [] "addresses" "Mail: find correspondents and their chats" => on_mail, mail::mail_contacts;
            HalfDown Desk ["Ctrl-D"] "half page down" "Half a page down" => always, desk::half_down;
            HalfUp Desk ["Ctrl-U"] "half page up" "Half a page up" => always, desk::half_up;
            PageDown Desk ["PgDn"] "page down" "A page down" => always, desk::page_down;
            PageUp Desk ["PgUp"] "page up" "A page up" => always, desk::page_up;
            Top Desk ["g g", "Home"] "top" "To the top" => always, desk::top;
            Bottom Desk ["G", "End"] "bottom" "To the bottom, where new messages appear" => always, desk::bottom;
            NextPane Desk ["Tab"] "next pane" "Next pane" => always, desk::next_pane;
            PreviousPane Desk ["Shift-Tab"] "previous pane" "Previous pane" => always, desk::previous_pane;
            NextTab Desk ["]"] "next tab" "Next tab" => always, desk::next_tab;
            PreviousTab Desk ["["] "previous tab" "Previous tab" => always, desk::previous_tab;
            GoToAll Desk ["0"] "all channels" "Conversations of all channels in one list" => always, desk::go_to_all;
            GoToTab Desk ["1", "2", "3", "4", "5", "6", "7", "8", "9"] "tab by number" "Go to the tab with this number" => always, desk::go_to_tab;
            Zoom Desk ["Z"] "zoom" "Fill the screen with this pane, or show the others again" => always, desk::zoom;
            Narrower Desk ["<"] "narrower" "Make the list narrower" => always, desk::narrower;
            Wider Desk [">"] "wider" "Make the list wider" => always, desk::wider;
            Mouse Desk ["M", "F6"] "mouse" "Mouse on or off; off to select text in the terminal" => always, desk::mouse;
            Footer Desk ["F4"] "footer" "Keys in the last line: five, three or none; saved" => always, desk::footer;
            Refresh Desk ["Ctrl-R", "F5"] "refresh" "Ask the server now" => always, desk::refresh;
            Redraw Desk ["Ctrl-L"] "redraw" "Redraw the screen" => always, desk::redraw;
            Suspend Desk ["Ctrl-Z"] "suspend" "Suspend to the shell; fg to return" => always, desk::suspend;
            Help Desk ["?", "F1"] "help" "Keys of this place; the palette finds all other commands" => always, desk::help;
            Quit Desk ["q"] "quit" "Quit; shows open work first" => always, desk::quit;
            Interrupt Desk ["Ctrl-C"] "twice to quit" "Twice quits; drafts are safe" => always, desk::interrupt;
            Send Composer ["Enter", "Ctrl-X"] "send" "Send after a few seconds; Ctrl-X on an empty text sends the held message now" => always, composer::send;
            DoneInText Composer ["Alt-d"] "done" "Done with this conversation, from the text" => conversations::may_finish, conversations::finish;
            UndoInText Composer ["Alt-z"] "undo act" "Undo the last act, from the text" => features::may_undo, features::undo;
            NewLine Composer ["Ctrl-J", "Alt-Enter", "Shift-Enter"] "new line" "New line" => always, composer::new_line;
            UndoEdit Composer ["Ctrl-_", "Ctrl-Z"] "undo edit" "Undo an edit" => always, composer::undo_edit;
            RedoEdit Composer ["Ctrl-Y"] "redo" "Redo it" => always, composer::redo_edit;
            LineStart Composer ["Ctrl-A", "Home"] "start" "Start of the line" => always, composer::line_start;
            LineEnd Composer ["Ctrl-E", "End"] "end" "End of the line" => always, composer::line_end;
            WordLeft Composer ["Ctrl-Left", "Alt-b"] "word" "One word left" => always, composer::word_left;
            WordRight Composer ["Ctrl-Right", "Alt-f"] "word" "One word right" => always, composer::word_right;
            DeleteWord Composer ["Ctrl-W", "Ctrl-Backspace", "Alt-Backspace"] "word" "Delete the word before the cursor" => always, composer::delete_word;
            DeleteToStart Composer ["Ctrl-U"] "erase" "Delete to the start of the line" => always, composer::delete_to_start;
            DeleteToEnd Composer ["Ctrl-K"] "erase" "Delete to the end of the line" => always, composer::delete_to_end;
            Menu Composer ["Ctrl-O"] "more" "More to write or send: canned replies (/ or ::), emoji (:name Tab), and others" => always, composer::open_menu;
            Attach Composer ["Ctrl-T"] "attach" "Attach files or a link, with the text as the caption of the first; also by pasting or dropping paths" => composer::may_attach, composer::attach;
            SuggestDraft Composer ["Ctrl-D"] "suggest" "Suggest a reply, from your model or canned replies; never sent by itself" => suggesting::may_suggest, suggesting::draft;
            TranslateText Composer ["Ctrl-R"] "translate" "Translate the text into the customer's language, by your model; the original stays as a private note" => suggesting::may_translate_text, suggesting::translate_text;
            TurnMarkup Composer ["Ctrl-F"] "markup" "Bot-chat: send as plain text, HTML or MarkdownV2; the send key says which. Mail: quote below, above or not at all" => always, composer::cycle_markup;
            SendLater Composer ["Ctrl-L"] "later" "Schedule: in an hour, tomorrow or at any time; frontdesk must be running then" => always, composer::send_later;
            EditOutside Composer ["Ctrl-G"] "editor" "Edit the text in $VISUAL or $EDITOR; nothing is sent" => always, composer::edit_outside;
            SwitchMode Composer ["Ctrl-N"] "note" "Switch between reply and private note; each keeps its text" => always, composer::switch_mode;
            DropQuote Composer ["Backspace"] "no quote" "On an empty text: reply without quoting" => always, composer::drop_quote;
            PaletteInText Composer ["Ctrl-P"] "palette" "The palette" => always, desk::open_palette;
            HelpInText Composer ["F1"] "help" "Keys of this place; the palette finds all other commands" => always, desk::help;
            Leave Composer ["Esc", "Tab", "Ctrl-C"] "leave" "Leave the composer; the draft is kept. Tab first fills open fields and completes :emoji" => always, composer::leave;
        }
    };
}

macro_rules! functions {
    ($($name:ident $place:ident [$($keys:literal),*] $word:literal $doc:literal => $enabled:path, $run:path;)*) => {
        pub(crate) fn functions(command: Command) -> (Enabled, Run) {
            match command {
                $(Command::$name => ($enabled, $run),)*
            }
        }
    };
}

each_command!(functions);

/// Rows of the `:` verbs: name, argument ([] if optional), help line, function, completions.
macro_rules! each_verb {
    ($make:ident) => {
        $make! {
            "filter" "WORDS" "Filter the list" => conversations::filter_by, no_completions;
            "view" "NAME" "Show a saved view" => conversations::show_view, conversations::view_names;
            "tab" "NAME or NUMBER" "Go to a tab, or to all" => desk::show_tab, desk::tab_name_completions;
            "sort" "ORDER" "Sort the list" => conversations::sort_by, conversations::sort_completions;
            "open" "NUMBER, ADDRESS, ID or --name NAME" "Open a conversation" => desk::open_by_selector, no_completions;
            "draft" "" "Restore your text that another window replaced" => draft_conflict::restore_replaced_text, no_completions;
            "search" "[WORDS]" "Search everything on this desk" => desk::search_for, no_completions;
            "find" "WORDS" "Search this conversation" => history::find, no_completions;
            "import" "FILE or stop" "Import people from a CSV file; preview first" => importing::import, no_completions;
            "broadcast" "everyone, file PATH or track ID" "Send to everyone or to a file of recipients, or follow a broadcast sent elsewhere" => sending::run_broadcast_verb, broadcasts::audience_completions;
            "handover" "[take [NAME]]" "Copy a summary for the next shift: failures, pauses, queue; take: take over colleagues' claims and pauses" => features::handover, no_completions;
            "team" "" "Show who of the team is here, and what each has" => team::show_team, no_completions;
            "assign" "NAME [NOTE]" "Hand the conversation over to a colleague, with a note" => team::assign, team::name_completions;
            "share-reply" "NAME" "Share a canned reply of this desk with the team" => team::share_reply, team::local_reply_names;
            "unshare-reply" "NAME" "Remove a canned reply from those of the team" => team::unshare_reply, team::shared_reply_names;
            "note-edit" "TEXT" "Replace the text of your selected or newest note" => team::edit_note, no_completions;
            "note-delete" "" "Delete your selected or newest note" => team::delete_note, no_completions;
            "submit-template" "NAME LANGUAGE CATEGORY TEXT" "Submit a template to the platform for review; the category is utility, marketing or authentication" => submitting::submit_template, no_completions;
            "said" "" "Show recent messages of the status line" => notice::show_said, no_completions;
            "pipe" "COMMAND" "Pipe the selected item as JSON to a command" => pipe::pipe, no_completions;
            "setup" "" "Add a channel key, step by step" => editor::set_up_channel, no_completions;
            "tutor" "" "Learn the first keys, in the demo" => features::tutor, no_completions;
            "export" "md|json|txt|csv [FILE]" "Export the conversation, or the report of a broadcast, to a file" => history::export, history::format_completions;
        }
    };
}

macro_rules! verb_functions {
    ($($name:literal $takes:literal $doc:literal => $run:path, $known:path;)*) => {
        pub(crate) fn verb(name: &str) -> Option<(RunLine, Completions)> {
            let all: &[(&str, RunLine, Completions)] = &[$(($name, $run, $known),)*];
            all.iter().find(|entry| entry.0 == name).map(|entry| (entry.1, entry.2))
        }
    };
}

each_verb!(verb_functions);

fn no_completions(_: &Inbox) -> Vec<String> {
    Vec::new()
}
