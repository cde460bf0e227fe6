/**
 * The queues: layout in the store, the state machine, and the leader that hands out sequences and feeds the
 * connections.
 */
@NullMarked
package io.godwit.inbox.queue;

import org.jspecify.annotations.NullMarked;
