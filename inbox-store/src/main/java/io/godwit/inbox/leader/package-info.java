/**
 * The leader of a range of inboxes: its decisions, pending requests, and writes to the store. {@code Inbox} and its
 * parts are the state; {@code InboxLeader} connects the parts that work on it and describes the life of a message.
 */
@NullMarked
package io.godwit.inbox.leader;

import org.jspecify.annotations.NullMarked;
