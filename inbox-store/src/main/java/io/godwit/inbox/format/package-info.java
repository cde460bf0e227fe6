/**
 * Stored formats of inboxes and of mutations: keys ({@code InboxKeys} first), records, runs of messages, and their
 * readers. Nothing here decides or waits.
 */
@NullMarked
package io.godwit.inbox.format;

import org.jspecify.annotations.NullMarked;
