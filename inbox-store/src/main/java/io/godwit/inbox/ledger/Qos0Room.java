package io.godwit.inbox.ledger;

import io.godwit.inbox.report.InboxReports;

/** Limits on the QoS 0 messages that one range has in memory, and where drops are reported. */
public record Qos0Room(QueueSettings settings, Holds holds, InboxReports reports) {}
