/**
 * What a leader has in memory of one queue: which messages are unfinished, which numbers come next, what was sent, and
 * what goes on to the next leader. Nothing in here writes to the store; what is on its way there is a {@code Pending}.
 */
@NullMarked
package io.godwit.inbox.ledger;

import org.jspecify.annotations.NullMarked;
