/**
 * The leader of a range of inboxes: what it decides, for whom it waits, and how that gets into the store. {@code Inbox}
 * and its parts are the state, {@code InboxLeader} puts those that work on it together and tells the life of a message.
 */
@NullMarked
package io.godwit.inbox.leader;

import org.jspecify.annotations.NullMarked;
