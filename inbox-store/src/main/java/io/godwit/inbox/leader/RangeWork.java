package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.coprocessor.LeaderContext;

/**
 * What a leader decides with: its clock and timers, the settings, the open batch, and the inboxes that are in memory,
 * with when each is looked at again. Owned by the range leader.
 */
record RangeWork(
        LeaderContext context,
        QueueSettings settings,
        Writes writes,
        InboxStates states,
        Agenda agenda,
        Reminders reminders) {}
