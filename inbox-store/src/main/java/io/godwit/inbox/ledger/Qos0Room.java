package io.godwit.inbox.ledger;

import io.godwit.inbox.report.InboxReports;

/** What bounds the QoS 0 messages that one range has in memory, and who is told of those that are too many. */
public record Qos0Room(QueueSettings settings, Holds holds, InboxReports reports) {}
