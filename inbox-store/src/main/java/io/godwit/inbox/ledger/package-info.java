/**
 * A leader's memory of one queue: which messages are unfinished, the next sequences, what was sent, and what is handed
 * to the next leader. Nothing here writes to the store; a pending write is a {@code Pending}.
 */
@NullMarked
package io.godwit.inbox.ledger;

import org.jspecify.annotations.NullMarked;
