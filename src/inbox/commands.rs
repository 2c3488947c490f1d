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
use crate::screens::conversations::commands as conversations;
use crate::screens::history::commands as history;
use crate::screens::history::pipe;
use crate::screens::history::voice;
use crate::screens::mail::commands as mail;
use crate::screens::outbox::commands as outbox;
use crate::screens::people::commands as people;
use crate::screens::people::csv_import::update as importing;
use crate::screens::phone::commands as phone;
use crate::screens::proposals::commands as proposals;
use crate::screens::reviews::commands as reviews;
use crate::screens::webhooks::commands as webhooks;

/// Availability of a command, or the reason against it; `{command-name}` is replaced by its key.
pub(crate) type Enabled = fn(&Inbox) -> Result<(), Reason>;
/// Runs an available command; some depend on the key.
pub(crate) type Run = fn(&mut Inbox, KeyPress);
/// Runs a `:` line, or returns the reason why not.
pub(crate) type RunLine = fn(&mut Inbox, &str) -> Result<(), Reason>;
/// Completions of a verb's argument.
pub(crate) type Completions = fn(&Inbox) -> Vec<String>;

/// The rows, passed to a macro that makes data or functions from them.
macro_rules! each_command {
    ($make:ident) => {
        $make! {
            Reply Conversation ["r"] "reply" "Write an answer; in the history it quotes the selected message" => composer::may_write, composer::reply;
            Write Conversation ["i"] "write" "Write without quoting" => composer::may_write, composer::write;
            ReplyAll Conversation ["R"] "reply all" "Mail: answer to all who have it" => mail::may_answer, mail::reply_all;
            Forward Conversation ["F"] "forward" "Mail: pass it on, quoted, with its files" => mail::may_answer, mail::forward;
            WriteNumber Conversation ["Ctrl-N"] "new" "Phone: write an SMS to a number that is typed. Mail: write a new mail" => phone::may_write_number, phone::write_number;
            Call Conversation ["C"] "call" "Phone: let the AI call a number; asks first" => phone::may_call, phone::call;
            WriteNote Conversation [";"] "note" "Write a private note: kept on this desk, never sent" => on_conversation, composer::write_note;
            Template Conversation ["T"] "template" "Send an approved template; the only thing that leaves once the window has closed" => composer::may_send_template, composer::template;
            Canned Conversation ["c"] "canned" "Pick a canned reply; it is inserted, never sent" => composer::may_write, composer::open_canned_replies;
            Brief Conversation ["B"] "brief" "What it is about in five lines: asked, tried, known, open; unfolds the brief above the text" => suggesting::may_suggest, suggesting::brief;
            Translate Conversation ["X"] "translate" "Show the selected message in your language, by your model; asked once for each message" => suggesting::may_suggest, suggesting::translate;
            Summarise Conversation ["Ctrl-O"] "summary" "Sum up the whole conversation, however long, by your model; kept until somebody writes" => suggesting::may_suggest, suggesting::summary;
            Transcribe Conversation ["Ctrl-W"] "transcribe" "Write down what is said in the selected voice note, by your model; asks before a new host is asked" => voice::may_transcribe, transcribing::transcribe;
            Take Conversation ["t"] "take" "Take over: pause the AI, claim the conversation and write; {undo} takes back all of it" => conversations::may_take, conversations::take;
            Done Conversation ["d"] "done" "Hand back to the AI, release and close, held so that {undo} can take it back; then open the most urgent. Mail: archive. Where nothing can be closed: put away until they write" => conversations::may_finish, conversations::finish;
            PauseAi Conversation ["p"] "pause AI" "Pause the AI, and nothing else" => conversations::may_pause_ai, conversations::pause_ai;
            DraftOnly Conversation ["A"] "draft-only" "Keep the AI paused here and have a draft of an answer ready whenever the customer writes; again ends it" => conversations::may_draft_only, conversations::draft_only;
            HandBack Conversation ["P"] "hand back" "Hand the conversation back to the AI" => conversations::may_hand_back, conversations::hand_back;
            Triage Conversation ["Ctrl-T"] "triage" "Mail: go through the unread threads of the list, one at a time" => mail::may_triage, mail::triage;
            Star Conversation ["*"] "star" "Mail: give a star, or take it away" => mail::may_file, mail::star;
            DeleteThread Conversation ["D"] "delete" "Mail: move the thread to the trash, or back" => mail::may_file, mail::delete_thread;
            MarkSpam Conversation ["%"] "spam" "Mail: mark the thread as spam, or take it back" => mail::may_file, mail::mark_spam;
            MoveThread Conversation ["^"] "move" "Mail: move the thread into a folder" => mail::may_file, mail::move_thread;
            MakeRule Conversation ["\""] "rule" "Mail: always do the same with this sender: archive, star and others; preview first" => mail::may_make_rule, mail::make_rule;
            SetCategory Conversation ["&"] "category" "Mail: say what the thread is about" => mail::may_file, mail::set_category;
            Later Conversation ["s"] "later" "Put off until a time or a reply, with a note that is shown when it comes back" => conversations::may_change_locally, conversations::later;
            Tags Conversation ["#"] "tags" "Edit the tags of the customer" => conversations::may_change_locally, conversations::tags;
            Claim Conversation [] "claim" "Claim the conversation under your name, or release it; kept on this desk" => conversations::may_change_locally, conversations::claim;
            Unseen Conversation ["u"] "seen" "Mark as seen, or as not seen yet: it stands out again; kept on this desk. Mail: read or unread, on the server, too" => conversations::may_mark_seen, conversations::toggle_seen;
            Broadcast Conversation ["b"] "broadcast" "Send one message to the people of all that is marked, in waves; reviewed and held first" => broadcasts::may_broadcast, broadcasts::broadcast;
            SendUnpaid Desk ["Y"] "send unpaid" "Send what waited for credits, once there are some; asks first" => features::may_send_unpaid, features::send_unpaid;
            Undo Desk ["z"] "undo" "Take back what was done last: held messages and closes, snoozes, pauses, marks" => features::may_undo, features::undo;
            Repeat Conversation ["."] "repeat" "Do again what was done last to a conversation: take, done, pause, hand back, later, tags, claim, reaction" => features::may_repeat, features::repeat;
            PlayMacro Desk ["m"] "macro" "Play a macro: then its letter; it stops at the first refusal and at every question" => always, features::play_macro;
            NextUrgent Desk ["w"] "next" "Go to the conversation that needs a person most, in any tab; again goes on to the one after it" => always, conversations::next_urgent;
            SendNow Conversation ["Ctrl-X"] "send now" "Send now what is held in this conversation" => composer::may_send_now, composer::send_now;
            Card Conversation ["I"] "card" "Show or hide the customer's card" => conversations::may_show_card, conversations::card;
            LookUp Conversation ["L"] "look up" "Ask the business's own systems about the customer; their answers stand on the card" => connections::may_look_up, connections::look_up;
            OpenOutside Conversation ["o"] "open outside" "Open the message's file or link outside; asks first" => always, history::open_outside;
            Elsewhere Conversation [] "elsewhere" "Go to the same number or mail address on another tab" => on_conversation, history::go_to_other_conversation;
            WriteCheapest Conversation ["~"] "cheapest" "Write on the way that costs least and still reaches the person; says why it is that one" => cheapest_way::may_write_cheapest, cheapest_way::write_cheapest;
            Raw Conversation ["="] "raw" "Show the item as the server sent it" => on_conversation, history::open_raw_view;
            Pipe Conversation ["|"] "pipe" "Give the item as JSON to a command of yours, and show what it says; asks once for each command" => on_conversation, history::pipe;
            Down List ["j", "Down"] "down" "Next conversation" => always, conversations::down;
            Up List ["k", "Up"] "up" "Previous conversation" => always, conversations::up;
            Open List ["Enter", "l", "Right"] "open" "Open the conversation" => always, conversations::open;
            Mark List ["Space"] "mark" "Mark, and go down: {take}, {done}, {later}, {pause-ai}, {hand-back} act on all that is marked" => conversations::may_mark, conversations::mark;
            MarkRange List ["V v"] "range" "Mark a range from here to where you go; again ends it" => conversations::may_mark, conversations::mark_range;
            MarkAll List ["V a"] "mark all" "Mark all of this list, also what is not loaded" => conversations::may_mark, conversations::mark_all;
            MarkInverted List ["V i"] "invert" "Mark what is not marked, and the reverse" => conversations::may_mark, conversations::mark_inverted;
            MarkNone List ["V n", "Esc"] "no marks" "Take all marks away; without marks, the filter" => always, conversations::mark_none;
            MarkAgain List ["V r"] "again" "Mark again what was acted on last" => conversations::may_restore_marks, conversations::restore_marks;
            FilterList List ["f"] "filter" "Filter this view as you type: words, status: ai: window: from: tag: has: is:, -not, \"a phrase\"" => always, conversations::filter_list;
            ChooseView List ["v"] "views" "Choose a view: inbox, all open, later, closed, sent, unread, and your own" => always, conversations::choose_view;
            SortByActivity List [", a"] "activity" "Sort by activity, newest first" => always, conversations::sort_by_activity;
            SortByWaiting List [", w"] "waiting" "Sort by who has waited longest" => always, conversations::sort_by_waiting;
            SortByUrgency List [", u"] "urgency" "Sort by who needs you most: where the AI fails, trouble, then the longest wait" => always, conversations::sort_by_urgency;
            SortByWindow List [", x"] "window" "Sort by the window that closes next" => always, conversations::sort_by_window;
            SortByName List [", n"] "name" "Sort by name" => always, conversations::sort_by_name;
            SortByCategory List [", c"] "category" "Sort by category, where threads have one" => conversations::may_sort_threads, conversations::sort_by_category;
            SortByPriority List [", p"] "priority" "Sort by priority, where threads have one" => conversations::may_sort_threads, conversations::sort_by_priority;
            MessageDown History ["j", "Down"] "down" "Next message" => always, history::message_down;
            MessageUp History ["k", "Up"] "up" "Previous message; older ones load as you go" => always, history::message_up;
            React History ["+"] "react" "Put an emoji on the selected message" => history::may_react, history::react;
            RemoveReaction History ["-"] "unreact" "Remove your reaction from the selected message" => history::may_remove_reaction, history::remove_reaction;
            GoToQuoted History ["Enter"] "quoted" "Go to the message the selected one quotes" => always, history::go_to_quoted;
            HtmlView History ["H"] "HTML" "Mail: show the plain text, or the HTML as text" => mail::may_read, mail::html_view;
            QuotedText History ["U"] "unfold" "Mail: unfold header and quotes, or fold them" => mail::may_read, mail::quoted_text;
            OpenInBrowser History ["O"] "browser" "Mail: open it in the browser, without scripts and pictures; asks first" => mail::may_read, mail::open_in_browser;
            SaveFile History ["S"] "save file" "Mail: save an attached file of the thread under a safe name, or all of the mail" => mail::may_read, mail::save_file;
            FirstUnseen History [] "first unseen" "Go to the first message new since you looked" => always, history::first_unseen;
            NextConversation History ["J"] "next" "Next conversation, while reading" => always, conversations::next_conversation;
            PreviousConversation History ["K"] "previous" "Previous conversation, while reading" => always, conversations::previous_conversation;
            Decide History ["a"] "decide" "Decide over a stopped message: send, edit or drop; says first what each does" => outbox::may_decide, outbox::decide;
            ShowPicture History ["v"] "picture" "Show the selected message's picture here, or hide it; asks before a new host is asked" => always, history::show_picture;
            FindInHistory History ["/"] "find" "Look for words in this conversation as you type" => always, history::find_in_history;
            OlderHit History ["n"] "older hit" "Go to the next older message in which it was found" => history::may_step_hits, history::older_hit;
            NewerHit History ["N"] "newer hit" "Go to the next newer one" => history::may_step_hits, history::newer_hit;
            Back History ["Esc", "h", "Left"] "back" "Back to the list" => always, history::back;
            DecideLater Triage ["Space"] "later" "Decide later: it comes again at the end" => on_mail, mail::decide_later;
            SameForAll Triage ["A"] "same for all" "The last decision for all of its sender; asks first" => on_mail, mail::apply_to_sender;
            SearchInTriage Triage ["/"] "search" "Leave the triage and search everything; what was decided stays" => on_mail, mail::search_in_triage;
            LeaveTriage Triage ["Esc"] "leave" "Back to the list; what was decided stays" => on_mail, mail::leave_triage;
            DecideRow Outbox ["a"] "decide" "Decide over what asks: send, edit or drop; says first what each does" => outbox::may_decide, outbox::decide;
            DecideAll Outbox ["A"] "send all" "Send all that waited for a connection, after showing which can go" => outbox::may_decide_all, outbox::decide_all;
            RowNow Outbox ["s"] "send now" "End the hold: it leaves now" => outbox::may_send_now, outbox::send_row_now;
            RowBack Outbox ["e"] "edit" "Take what has not left back into the composer" => outbox::may_recall, outbox::recall_row;
            AcceptProposal Proposals ["a"] "send, do" "Send the proposed reply, held as ever, or do what is proposed" => proposals::may_accept, proposals::accept;
            EditProposal Proposals ["e"] "edit" "Put the proposed reply into the composer" => proposals::may_edit, proposals::edit;
            DropProposal Proposals ["x"] "drop" "Drop the proposal; {undo} brings it back" => proposals::is_chosen, proposals::drop_proposal;
            GoodAnswer Reviews ["a"] "good" "The answer can stand" => reviews::is_chosen, reviews::accept_answer;
            BadAnswer Reviews ["x"] "bad" "The answer cannot stand: say why, and what should have been said" => reviews::is_chosen, reviews::reject_answer;
            NewPerson People ["a"] "new" "Add a person" => people::may_add, people::new_person;
            EditPerson People ["e"] "edit" "Edit name, mail address, tags and metadata; merged with what the server has" => people::may_change, people::edit_person;
            MarkPerson People ["Space"] "mark" "Mark the person, and go down" => people::has_people, people::mark_person;
            MarkAllPeople People ["V a"] "mark all" "Mark all that the search fits, also those the server has not told yet" => people::has_people, people::mark_all_people;
            MarkNoPeople People ["V n"] "no marks" "Take all marks away" => people::has_people, people::mark_no_people;
            BroadcastPeople People ["b"] "broadcast" "Send one message to all that are marked, or to the chosen person" => broadcasts::may_broadcast, broadcasts::broadcast_people;
            TagPerson People ["#"] "tags" "Edit the tags" => people::may_change, people::tag_person;
            DeletePerson People ["D"] "delete" "Delete the person with the conversation's history; wants the last four digits" => people::may_change, people::delete_person;
            NewBroadcast Broadcasts ["b"] "new" "Go on with the form that was left; {broadcast} on marked people or conversations begins another" => broadcasts::may_broadcast, broadcasts::new_broadcast;
            PauseBroadcast Broadcasts ["p"] "pause" "Pause it: no further wave leaves" => broadcasts::may_pause, broadcasts::pause;
            ContinueBroadcast Broadcasts ["c"] "continue" "Let it go on, with another limit of failures if wanted" => broadcasts::may_continue, broadcasts::continue_paused;
            StopBroadcast Broadcasts ["S"] "stop" "Stop it between waves, for good; asks first" => broadcasts::may_stop, broadcasts::stop;
            ShowRecipients Broadcasts ["d"] "recipients" "Whom it went to and what became of each, as far as messages show" => broadcasts::is_chosen, broadcasts::show_recipients;
            RetryFailed Broadcasts ["R"] "retry failed" "A new broadcast to those that failed" => broadcasts::may_retry_failed, broadcasts::retry_failed;
            CopyFailed Broadcasts ["y f"] "copy failed" "Copy the numbers of those that failed" => broadcasts::is_chosen, broadcasts::copy_failed;
            ExportReport Broadcasts ["e"] "report" "Write a CSV report with a line for each recipient" => broadcasts::is_chosen, broadcasts::export_report;
            NewWebhook Webhooks ["a"] "new" "Register a webhook, with a secret made here and shown once" => on_writable_tab, webhooks::new_webhook;
            RemoveWebhook Webhooks ["D"] "remove" "Remove the webhook; asks first" => webhooks::may_remove, webhooks::remove_webhook;
            ShowEvents Webhooks ["e"] "events" "Events of this channel: messages, contacts, orders, appointments, campaigns" => always, desk::go_to_events;
            SearchRows Deck ["/"] "search" "Search as you type: here at once; people on the server, too" => desk::may_search_rows, desk::search_rows;
            RowDown Rows ["j", "Down"] "down" "Next row" => always, desk::row_down;
            RowUp Rows ["k", "Up"] "up" "Previous row" => always, desk::row_up;
            GoToRow Rows ["Enter", "l", "Right"] "go to" "Go to its conversation" => desk::may_go_to_row, desk::go_to_row;
            AllTabs Rows ["\\"] "all tabs" "Show this tab, or all tabs" => desk::may_show_all_tabs, desk::all_tabs;
            LeaveRows Rows ["Esc", "h", "Left"] "back" "Back to the conversations" => always, desk::leave_rows;
            CopyText Conversation ["y m"] "copy text" "Copy the selected message's text" => always, features::copy_text;
            CopyPhone Conversation ["y p"] "copy phone" "Copy the customer's phone number or address" => always, features::copy_phone;
            CopyId Conversation ["y i"] "copy id" "Copy the conversation's id" => always, features::copy_id;
            CopyHeader Conversation ["y h"] "copy header" "Mail: copy the Message-ID of the mail" => mail::may_copy_header, mail::copy_header;
            CopyLink Conversation ["y l"] "copy link" "Copy the link of the selected message's file" => always, features::copy_link;
            CopyTranscript Conversation ["y t"] "copy all" "Copy the loaded messages as text" => always, features::copy_transcript;
            CopyError Conversation ["y e"] "copy error" "Copy why the selected message could not be sent" => always, features::copy_error;
            CopyCurl Desk ["y c"] "copy curl" "Copy the newest change or failed request of this tab as a curl command, without the key" => always, desk::copy_curl;
            SearchAll Desk ["/"] "search" "Search everything on every channel: the rows of this view first, then the rest" => always, desk::search_all;
            ShowActions Desk ["x"] "actions" "What can be done here; what cannot be done says why" => always, desk::show_actions;
            OpenPalette Desk ["Ctrl-P", "Ctrl-K"] "palette" "Find commands, people, views and tabs by a few of their letters" => always, desk::open_palette;
            CommandLine Desk [":"] "command" "Type a command: filter, view, tab, sort, open, search, export and all others" => always, desk::command_line;
            GoToInbox Desk ["g i"] "inbox" "The conversations" => always, desk::go_to_inbox;
            GoToOutbox Desk ["g o"] "outbox" "The outbox: what has not left yet, and what asks" => always, desk::go_to_outbox;
            ShowProposals Desk [] "proposals" "What assistants propose: replies and actions that wait for you" => always, desk::show_proposals;
            ShowReviews Desk [] "reviews" "The review queue: a sample of what the AI answered, for people to say whether it can stand" => always, desk::show_reviews;
            GoToDrafts Desk [] "drafts" "The drafts: every text begun and not sent" => always, desk::go_to_drafts;
            GoToTemplates Desk ["g t"] "templates" "The approved templates of this channel, and what is filled in where" => always, desk::go_to_templates;
            GoToEvents Desk [] "events" "What the triggers tell: messages, contacts, orders, appointments, campaigns" => always, desk::go_to_events;
            GoToWebhooks Desk ["g w"] "webhooks" "Webhooks of this channel; {show-events} there shows its events" => always, desk::go_to_webhooks;
            GoToAccount Desk ["g a"] "account" "The account behind the key: balance, number, what the key can do, prices" => always, desk::go_to_account;
            GoToPhone Desk [] "voice, SMS" "The tab of the phone, if there is one" => always, phone::go_to_phone;
            ShowCredits Desk ["$"] "credits" "The balance, what was spent from here, and what waits for credits" => always, features::show_credits;
            GoToPeople Desk ["g p"] "people" "The people: contacts of this tab, their tags and metadata" => always, desk::go_to_people;
            GoToBroadcasts Desk ["g b"] "broadcasts" "The broadcasts: what goes on and what went, wave by wave" => always, desk::go_to_broadcasts;
            GoToWall Desk [] "wall" "The wall: a line for each channel, for a big screen in the room" => always, desk::go_to_wall;
            GoToSnoozed Desk [] "snoozed" "What was put aside" => always, conversations::go_to_snoozed;
            NeedsYou Desk ["g n"] "needs you" "What needs you in any tab: what asks and where the AI fails, by urgency, then pauses, then what happened since you left; :handover copies what you hand over" => always, features::show_attention;
            ShowServiceLevels Desk [] "service levels" "How fast customers are answered, by channel, hour and person, and how often people take over" => always, features::show_service_levels;
            ShowDone Desk [] "undo list" "Done from this desk, and what can be taken back" => always, features::show_done;
            ShowResults Desk [] "results" "What became of the last action on many" => conversations::may_show_results, conversations::show_results;
            ShowCalls Desk [] "requests" "What was asked of the servers lately, how they answered and how fast; each as a curl command" => always, desk::show_calls;
            ShowUnreadable Desk [] "unreadable" "What the server sent to this tab that could not be read, as it came" => history::may_show_unreadable, history::show_unreadable;
            AskConnection Desk ["!"] "ask" "Ask any endpoint of a connection, with a form for what it wants to know" => connections::may_ask, connections::ask_connection;
            ShowConnectionCalls Desk [] "connections" "The calls of connections: when, what, for whom, how they were answered and how fast" => always, connections::show_connection_calls;
            MailFolders Desk [] "folders" "Mail: show a folder, a category, unread or starred threads; the server looks, too" => on_mail, mail::mail_folders;
            ShowRules Desk [] "rules" "Mail: the rules for senders and what they did; switch, change, remove them, take back what they did" => on_mail, mail::show_rules;
            MailContacts Desk [] "addresses" "Mail: find people you exchanged mails with, and go to their chat" => on_mail, mail::mail_contacts;
            HalfDown Desk ["Ctrl-D"] "half page" "Half a page down" => always, desk::half_down;
            HalfUp Desk ["Ctrl-U"] "half page" "Half a page up" => always, desk::half_up;
            PageDown Desk ["PgDn"] "page" "A page down" => always, desk::page_down;
            PageUp Desk ["PgUp"] "page" "A page up" => always, desk::page_up;
            Top Desk ["g g", "Home"] "top" "To the top" => always, desk::top;
            Bottom Desk ["G", "End"] "bottom" "To the bottom, where new messages appear" => always, desk::bottom;
            NextPane Desk ["Tab"] "pane" "Next pane" => always, desk::next_pane;
            PreviousPane Desk ["Shift-Tab"] "pane" "Previous pane" => always, desk::previous_pane;
            NextTab Desk ["]"] "tab" "Next tab" => always, desk::next_tab;
            PreviousTab Desk ["["] "tab" "Previous tab" => always, desk::previous_tab;
            GoToAll Desk ["0"] "all tabs" "Go to the conversations of all tabs in one list" => always, desk::go_to_all;
            GoToTab Desk ["1", "2", "3", "4", "5", "6", "7", "8", "9"] "tab" "Go to the tab of that number" => always, desk::go_to_tab;
            Zoom Desk ["Z"] "zoom" "Fill the screen with this pane, or show the others again" => always, desk::zoom;
            Narrower Desk ["<"] "narrower" "Make the list narrower" => always, desk::narrower;
            Wider Desk [">"] "wider" "Make the list wider" => always, desk::wider;
            Mouse Desk ["M", "F6"] "mouse" "Leave the mouse to the terminal, to select text with it; again takes it back" => always, desk::mouse;
            Footer Desk ["F4"] "footer" "Show three keys in the last line, none, or five; kept for the next time" => always, desk::footer;
            Refresh Desk ["Ctrl-R", "F5"] "refresh" "Ask the server now" => always, desk::refresh;
            Redraw Desk ["Ctrl-L"] "redraw" "Draw the screen anew" => always, desk::redraw;
            Suspend Desk ["Ctrl-Z"] "suspend" "Suspend to the shell; fg comes back" => always, desk::suspend;
            Help Desk ["?", "F1"] "help" "Keys of this place; the palette finds all other commands" => always, desk::help;
            Quit Desk ["q"] "quit" "Quit; says first what is left open" => always, desk::quit;
            Interrupt Desk ["Ctrl-C"] "quit" "Twice quits; drafts are safe" => always, desk::interrupt;
            Send Composer ["Enter", "Ctrl-X"] "send" "Send, held for a few seconds; Ctrl-X on an empty text sends now what is held" => always, composer::send;
            DoneInText Composer ["Alt-d"] "done" "Done with this conversation: {done} without leaving the text first" => conversations::may_finish, conversations::finish;
            UndoInText Composer ["Alt-z"] "undo act" "Take back what was done last: {undo} without leaving the text first" => features::may_undo, features::undo;
            NewLine Composer ["Ctrl-J", "Alt-Enter", "Shift-Enter"] "new line" "New line" => always, composer::new_line;
            UndoEdit Composer ["Ctrl-_", "Ctrl-Z"] "undo edit" "Undo an edit" => always, composer::undo_edit;
            RedoEdit Composer ["Ctrl-Y"] "redo" "Redo it" => always, composer::redo_edit;
            LineStart Composer ["Ctrl-A", "Home"] "start" "Start of the line" => always, composer::line_start;
            LineEnd Composer ["Ctrl-E", "End"] "end" "End of the line" => always, composer::line_end;
            WordLeft Composer ["Ctrl-Left", "Alt-b"] "word" "One word left" => always, composer::word_left;
            WordRight Composer ["Ctrl-Right", "Alt-f"] "word" "One word right" => always, composer::word_right;
            DeleteWord Composer ["Ctrl-W", "Ctrl-Backspace", "Alt-Backspace"] "word" "Delete the word before the cursor" => always, composer::delete_word;
            DeleteToStart Composer ["Ctrl-U"] "kill" "Delete to the start of the line" => always, composer::delete_to_start;
            DeleteToEnd Composer ["Ctrl-K"] "kill" "Delete to the end of the line" => always, composer::delete_to_end;
            Menu Composer ["Ctrl-O"] "more" "What else can be written or sent: canned replies (/ or ::), emoji (:name Tab), and more" => always, composer::open_menu;
            Attach Composer ["Ctrl-T"] "attach" "Send a file, or a link to one, with the text as its caption; a path pasted or dropped here is recognised" => composer::may_attach, composer::attach;
            SuggestDraft Composer ["Ctrl-D"] "suggest" "Suggest an answer, from your model or your canned replies; it stands beside the text until you take it, and is never sent" => suggesting::may_suggest, suggesting::draft;
            TranslateText Composer ["Ctrl-R"] "translate" "Translate the text into the customer's language, by your model; the original stays as a private note" => suggesting::may_translate_text, suggesting::translate_text;
            TurnMarkup Composer ["Ctrl-F"] "markup" "Bot-chat: send as plain text, HTML or MarkdownV2; the send key says which. Mail: quote below, above or not at all" => always, composer::cycle_markup;
            SendLater Composer ["Ctrl-L"] "later" "Send at a time: in an hour, tomorrow, or as you say it; needs frontdesk to run then" => always, composer::send_later;
            EditOutside Composer ["Ctrl-G"] "editor" "Edit the text in $VISUAL or $EDITOR; it comes back here, nothing is sent" => always, composer::edit_outside;
            SwitchMode Composer ["Ctrl-N"] "note" "Switch between the answer and a private note; each keeps its text" => always, composer::switch_mode;
            DropQuote Composer ["Backspace"] "no quote" "On an empty text: answer without quoting" => always, composer::drop_quote;
            PaletteInText Composer ["Ctrl-P"] "palette" "The palette" => always, desk::open_palette;
            HelpInText Composer ["F1"] "help" "Keys of this place; the palette finds all other commands" => always, desk::help;
            Leave Composer ["Esc", "Tab", "Ctrl-C"] "leave" "Leave the composer; the draft is kept. Tab first goes to open fields and completes :emoji" => always, composer::leave;
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
            "draft" "" "Bring back the text that another window wrote over" => draft_conflict::restore_replaced_text, no_completions;
            "search" "[WORDS]" "Look in everything seen" => desk::search_for, no_completions;
            "find" "WORDS" "Look in this conversation" => history::find, no_completions;
            "import" "FILE or stop" "Import people from a CSV file, after looking it through" => importing::import, no_completions;
            "broadcast" "everyone, file PATH or track ID" "Send to everyone, to those a file names, or watch one sent elsewhere" => sending::run_broadcast_verb, broadcasts::audience_completions;
            "handover" "[take [NAME]]" "Copy what the next shift must know: what broke, what is paused and queued; take makes what others have yours" => features::handover, no_completions;
            "said" "" "Show what the status line said lately" => notice::show_said, no_completions;
            "pipe" "COMMAND" "Give the selected item as JSON to a command" => pipe::pipe, no_completions;
            "setup" "" "Add a channel key, step by step" => editor::set_up_channel, no_completions;
            "tutor" "" "Learn the first keys, in the demo" => features::tutor, no_completions;
            "export" "md|json|txt|csv [FILE]" "Write the conversation into a file, or the report of a broadcast" => history::export, history::format_completions;
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
