/**
 * What the store holds of inboxes, and how a mutation says it: keys ({@code InboxKeys} first), records, runs of
 * messages, and who reads them. Nothing in here decides or waits.
 */
@NullMarked
package io.godwit.inbox.format;

import org.jspecify.annotations.NullMarked;
