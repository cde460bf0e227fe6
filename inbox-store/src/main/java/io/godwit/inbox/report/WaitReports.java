package io.godwit.inbox.report;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;

/** Counts the waits of the inbox store and the session directory that run out, and tells of them. Thread-safe. */
public final class WaitReports {
    private final EventListener events;
    private final Counter clientIds;
    private final Counter silentMembers;
    private final Counter homes;
    private final Counter connections;

    public WaitReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        clientIds = counter(meters, NodeWait.CLIENT_ID);
        silentMembers = counter(meters, NodeWait.SILENT_MEMBER);
        homes = counter(meters, NodeWait.HOME);
        connections = counter(meters, NodeWait.CONNECTION);
    }

    private static Counter counter(MeterRegistry meters, NodeWait wait) {
        return Counter.builder("godwit.waits.over")
                .description("waits for other nodes that ran out")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /**
     * A CONNECT has not got its client id.
     *
     * @param owner the node that gives it, or that there is none
     */
    public void clientIdNotGranted(ClientId client, Duration limit, String owner) {
        ranOut(clientIds, NodeWait.CLIENT_ID, limit, () -> "client id " + client.value() + ", of " + owner);
    }

    /** A member that somebody waits for has no link. */
    public void memberSilent(String member, Duration limit, String why) {
        ranOut(silentMembers, NodeWait.SILENT_MEMBER, limit, () -> member + ", " + why);
    }

    /**
     * No leader has taken a command.
     *
     * @param leader the node that leads, as far as is known
     */
    public void noLeader(ClientId inbox, Duration limit, String leader) {
        ranOut(homes, NodeWait.HOME, limit, () -> "inbox of " + inbox.value() + ", " + leader);
    }

    /** The connection of a session that is stored as connected has not come to the new leader. */
    public void connectionNotBack(ClientId client, Duration limit) {
        ranOut(connections, NodeWait.CONNECTION, limit, () -> "connection of " + client.value());
    }

    private void ranOut(Counter counter, NodeWait wait, Duration limit, Supplier<String> detail) {
        counter.increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(wait, limit, detail.get()));
        }
    }
}
