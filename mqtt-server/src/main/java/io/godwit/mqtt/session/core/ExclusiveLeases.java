package io.godwit.mqtt.session.core;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The leases of exclusive filters that the sessions of this node have or wait for (ADR 107). They are claims in the
 * {@link SessionDirectory}, under an id that begins with U+0000, which no client id has [MQTT5-1.5.4-2]. The client id
 * takes the place of the user name: a claim of another client is refused, and the next connection of the same client
 * takes over. Thread-safe.
 */
public final class ExclusiveLeases {
    /** Most leases of a node: clients choose the filters, and the directory needs its room for their client ids. */
    public static final int MOST = 100_000;

    private static final String ID_START = "\u0000";

    private final SessionDirectory directory;
    private final int most;
    private final AtomicInteger count = new AtomicInteger();

    public ExclusiveLeases(SessionDirectory directory) {
        this(directory, MOST);
    }

    ExclusiveLeases(SessionDirectory directory, int most) {
        this.directory = directory;
        this.most = most;
    }

    /**
     * Asks for the filter. Completes on any thread with the lease, or with the refusal when another client has it;
     * fails when the node has too many, and as the directory does.
     *
     * @param giveUp called when the next connection of the client wants the filter; see
     *     {@link SessionDirectory.Holder#giveUp}
     */
    public CompletableFuture<SessionDirectory.Answer> acquire(ClientInfo client, TopicFilter filter, Runnable giveUp) {
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new RejectedExecutionException("more than " + most + " exclusive filters on this node"));
        }
        SessionDirectory.Holder holder = new SessionDirectory.Holder() {
            @Override
            public String userName() {
                return client.clientId().value();
            }

            @Override
            public void giveUp() {
                giveUp.run();
            }
        };
        return directory
                .acquire(
                        client.tenant(),
                        new ClientId(ID_START + filter.filter()),
                        holder,
                        SessionDirectory.Takeover.OF_SAME_USER)
                .handle((answer, failure) -> {
                    if (answer instanceof SessionDirectory.Lease lease) {
                        return CompletableFuture.<SessionDirectory.Answer>completedFuture(new Counted(lease));
                    }
                    count.decrementAndGet();
                    return failure == null
                            ? CompletableFuture.completedFuture(answer)
                            : CompletableFuture.<SessionDirectory.Answer>failedFuture(failure);
                })
                .thenCompose(answer -> answer);
    }

    /** Leases that sessions have or wait for. */
    public int count() {
        return count.get();
    }

    private final class Counted implements SessionDirectory.Lease {
        private final SessionDirectory.Lease lease;
        private final AtomicBoolean isReleased = new AtomicBoolean();

        Counted(SessionDirectory.Lease lease) {
            this.lease = lease;
        }

        @Override
        public void release() {
            if (isReleased.compareAndSet(false, true)) {
                count.decrementAndGet();
                lease.release();
            }
        }
    }
}
