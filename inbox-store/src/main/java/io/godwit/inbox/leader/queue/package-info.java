/** One inbox in memory as pending work sees it, a queue that is written to; and the batches that write queues. */
@NullMarked
package io.godwit.inbox.leader.queue;

import org.jspecify.annotations.NullMarked;
