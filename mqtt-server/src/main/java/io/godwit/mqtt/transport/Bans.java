package io.godwit.mqtt.transport;

import io.godwit.mqtt.ban.BanTable;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BanCause;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps those out for a time who fail again and again: sources, before anything is done for a connection, and client
 * ids, each within its tenant and the mount point of its listener, once its client has said who it is. Whoever is
 * banned by a client id can not be kept from taking it, so this is for clients that flap, not for logins: else anybody
 * could have others banned. Whom operators have banned is kept out by the same looks. Thread-safe.
 */
public final class Bans {
    /** For wiring without bans. */
    static final Bans NONE = new Bans(
            new BanConfig(0, 0, 0, 0, BanConfig.DEFAULTS.flap(), BanConfig.DEFAULTS.window(), BanConfig.DEFAULTS.ban()),
            () -> 0,
            null,
            new BanTable(() -> 0));

    /** Volatile: replaced while connections come and go. */
    private volatile BanConfig config;

    private final LongSupplier nanoTime;
    private final @Nullable MqttReports reports;
    private final BanTable operators;
    private final FailureCounts<Long> failedLogins;
    private final FailureCounts<Long> violations;
    private final FailureCounts<Long> sourceFlaps;
    private final FailureCounts<Place> clientFlaps;

    /**
     * @param nanoTime as {@link System#nanoTime}
     * @param reports is told of bans; null to nobody
     * @param operators whom operators have banned
     */
    public Bans(BanConfig config, LongSupplier nanoTime, @Nullable MqttReports reports, BanTable operators) {
        this.config = config;
        this.nanoTime = nanoTime;
        this.reports = reports;
        this.operators = operators;
        failedLogins = counts(config.maxFailedLoginsPerSource());
        violations = counts(config.maxViolationsPerSource());
        sourceFlaps = counts(config.maxFlapsPerSource());
        clientFlaps = counts(config.maxFlapsPerClientId());
    }

    /** Goes on with other numbers; whoever is banned stays so until the time that was told. Any thread. */
    public void reconfigure(BanConfig next) {
        config = next;
        reconfigure(failedLogins, next.maxFailedLoginsPerSource(), next);
        reconfigure(violations, next.maxViolationsPerSource(), next);
        reconfigure(sourceFlaps, next.maxFlapsPerSource(), next);
        reconfigure(clientFlaps, next.maxFlapsPerClientId(), next);
    }

    private static void reconfigure(FailureCounts<?> counts, int limit, BanConfig next) {
        counts.reconfigure(limit, next.window().toNanos(), next.ban().toNanos());
    }

    private <K> FailureCounts<K> counts(int limit) {
        return new FailureCounts<>(
                limit, config.window().toNanos(), config.ban().toNanos());
    }

    boolean isBanned(InetAddress address) {
        long source = ConnectionGate.sourceOf(address);
        long now = nanoTime.getAsLong();
        return operators.isBanned(address)
                || failedLogins.isBanned(source, now)
                || violations.isBanned(source, now)
                || sourceFlaps.isBanned(source, now);
    }

    /** @param mountPoint of its listener */
    public boolean isBanned(ClientInfo client, String mountPoint) {
        return operators.isBanned(client) || clientFlaps.isBanned(Place.of(client, mountPoint), nanoTime.getAsLong());
    }

    /** Whether an operator keeps the client out. */
    public boolean isBannedByOperator(ClientInfo client) {
        return operators.isBanned(client);
    }

    void loginFailed(InetAddress address) {
        sourceFailed(failedLogins, BanCause.SOURCE_FAILED_LOGINS, address);
    }

    void violated(InetAddress address) {
        sourceFailed(violations, BanCause.SOURCE_VIOLATIONS, address);
    }

    /** Whether a connection of this age, in seconds, that has ended is a flap that counts. */
    boolean isFlap(int ageSeconds) {
        return (sourceFlaps.isCounting() || clientFlaps.isCounting())
                && ageSeconds < config.flap().toSeconds();
    }

    void flapped(InetAddress address, ClientInfo client, String mountPoint) {
        sourceFailed(sourceFlaps, BanCause.SOURCE_FLAPPING, address);
        if (clientFlaps.failed(Place.of(client, mountPoint), nanoTime.getAsLong())) {
            report(BanCause.CLIENT_FLAPPING, client.clientId().value());
        }
    }

    /** Where a client id means one client. Ordered, so that maps stay fast when client ids collide. */
    private record Place(String clientId, String tenant, String mountPoint) implements Comparable<Place> {
        private static final Comparator<Place> ORDER = Comparator.comparing(Place::clientId)
                .thenComparing(Place::tenant)
                .thenComparing(Place::mountPoint);

        static Place of(ClientInfo client, String mountPoint) {
            return new Place(client.clientId().value(), client.tenant().value(), mountPoint);
        }

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private void sourceFailed(FailureCounts<Long> counts, BanCause cause, InetAddress address) {
        if (counts.isCounting() && counts.failed(ConnectionGate.sourceOf(address), nanoTime.getAsLong())) {
            report(cause, address.getHostAddress());
        }
    }

    private void report(BanCause cause, String subject) {
        if (reports != null) {
            reports.banned(cause, subject, config.ban());
        }
    }
}
