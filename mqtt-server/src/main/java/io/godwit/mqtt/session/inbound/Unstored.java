package io.godwit.mqtt.session.inbound;

import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.UnstoredBudget;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.message.Message;

/**
 * The back-pressure on one connection's publishes: reading pauses while too many messages or bytes are accepted and not
 * yet stored, of this connection or of the loop's share of the node. Confined to the connection's loop.
 */
final class Unstored {
    private final SessionCore session;
    private final Connection connection;
    private final SessionConfig config;
    private final UnstoredBudget budget;

    private int messages;
    private long bytes;
    /** Number of messages that hold this connection back. */
    private int heldBack;

    private boolean isPaused;
    private boolean isPausedByNode;

    Unstored(SessionCore session) {
        this.session = session;
        this.connection = session.connection;
        this.config = session.services.config;
        this.budget = session.services.budgetOf(connection.loop());
    }

    /** Counts a message until {@link #end}; calls may nest for one message. */
    void begin(Message message) {
        int added = message.heapBytes();
        connection.stores(added);
        messages++;
        bytes += added;
        budget.add(added);
        if (!isPaused
                && (messages >= config.windows().receiveMaximum()
                        || bytes >= config.intake().maxUnstoredBytes())) {
            isPaused = true;
            connection.pauseReading(Connection.Pause.UNACKNOWLEDGED);
        }
        if (!isPausedByNode && budget.isExceeded()) {
            isPausedByNode = true;
            connection.pauseReading(Connection.Pause.NODE_BUDGET);
            budget.pause(() -> {
                isPausedByNode = false;
                connection.resumeReading(Connection.Pause.NODE_BUDGET);
            });
        }
    }

    void end(Message message) {
        int ended = message.heapBytes();
        connection.stores(-ended);
        messages--;
        bytes -= ended;
        budget.subtract(ended);
        if (isPaused
                && messages <= config.windows().receiveMaximum() / 2
                && bytes <= config.intake().maxUnstoredBytes() / 2) {
            isPaused = false;
            connection.resumeReading(Connection.Pause.UNACKNOWLEDGED);
        }
        if (messages == 0) {
            session.intakeQuiet();
        }
    }

    /**
     * Holds the connection back: the last message goes to a loop that is behind, or waits for an inbox leader while
     * many others do. No packet is handled until {@link #letGo}.
     */
    void holdBack() {
        if (heldBack++ == 0) {
            connection.pauseReading(Connection.Pause.HELD_BACK);
        }
    }

    void letGo() {
        if (--heldBack == 0) {
            connection.resumeReading(Connection.Pause.HELD_BACK);
        }
    }

    boolean isEmpty() {
        return messages == 0;
    }
}
