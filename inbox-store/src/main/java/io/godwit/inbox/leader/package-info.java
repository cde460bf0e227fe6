/**
 * The leader of a range of inboxes. {@code InboxLeader} connects the parts, which are in the packages below, and
 * describes the life of a message.
 */
@NullMarked
package io.godwit.inbox.leader;

import org.jspecify.annotations.NullMarked;
