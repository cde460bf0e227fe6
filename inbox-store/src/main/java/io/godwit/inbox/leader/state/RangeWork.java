package io.godwit.inbox.leader.state;

import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.coprocessor.LeaderContext;

/**
 * The parts that most decisions need: clock and timers, settings, batches, the inboxes in memory, and the times at
 * which they are checked again. Owned by the range leader.
 */
public record RangeWork(
        LeaderContext context,
        QueueSettings settings,
        Writes writes,
        InboxStates states,
        Agenda agenda,
        Reminders reminders) {}
