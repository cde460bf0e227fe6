/** Messages on their way into the queues of a range and from there to connections. */
@NullMarked
package io.godwit.inbox.leader.delivery;

import org.jspecify.annotations.NullMarked;
