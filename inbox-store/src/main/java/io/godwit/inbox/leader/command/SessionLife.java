package io.godwit.inbox.leader.command;

import io.godwit.inbox.leader.end.Obligations;
import io.godwit.inbox.leader.end.SessionEnds;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Reminders;
import io.godwit.inbox.leader.state.SessionRecords;

/**
 * The parts of a range leader that begin, store and end the sessions of its range. All commands about sessions share
 * them. Owned by the range leader.
 *
 * @param newSessions begins sessions
 * @param records writes their records
 * @param reminders knows when they expire
 * @param ends ends their connections and themselves
 * @param obligations what is owed after their end
 */
public record SessionLife(
        Writes writes,
        InboxStates states,
        NewSessions newSessions,
        SessionRecords records,
        Reminders reminders,
        SessionEnds ends,
        Obligations obligations) {}
