/**
 * The inboxes of a range that are in memory: how they are loaded, stored and dropped, when they are due, and the
 * answers that wait for their changes to be stored.
 */
@NullMarked
package io.godwit.inbox.leader.state;

import org.jspecify.annotations.NullMarked;
