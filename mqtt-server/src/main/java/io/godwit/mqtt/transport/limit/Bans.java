package io.godwit.mqtt.transport.limit;

import io.godwit.mqtt.ban.AddressBlock;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Bans sources and client ids that fail again and again for a time. Sources are checked before anything is done for a
 * connection. Client ids, each within its tenant and the mount point of its listener, are checked once the client is
 * authenticated. Anybody can send any client id, so client ids are banned only for flapping, not for failed logins:
 * else anybody could get others banned. The same checks apply operators' bans. Thread-safe.
 */
public final class Bans {
    /** For a server without bans. */
    public static final Bans NONE = new Bans(
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
     * @param nanoTime a clock like {@link System#nanoTime}
     * @param reports gets each new ban; null for none
     * @param operators bans of operators
     */
    public Bans(BanConfig config, LongSupplier nanoTime, @Nullable MqttReports reports, BanTable operators) {
        this.config = config;
        this.nanoTime = nanoTime;
        this.reports = reports;
        this.operators = operators;
        failedLogins = counts(config.maxFailedLoginsPerSource(), source -> idOf("auto-f-", source));
        violations = counts(config.maxViolationsPerSource(), source -> idOf("auto-v-", source));
        sourceFlaps = counts(config.maxFlapsPerSource(), source -> idOf("auto-s-", source));
        clientFlaps = counts(config.maxFlapsPerClientId(), Place::id);
    }

    /** Sets other limits; existing bans keep their end. Any thread. */
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

    private <K> FailureCounts<K> counts(int limit, Function<K, String> idOf) {
        return new FailureCounts<>(
                limit, config.window().toNanos(), config.ban().toNanos(), idOf);
    }

    private static String idOf(String prefix, long source) {
        return prefix + HexFormat.of().toHexDigits(source);
    }

    public boolean isBanned(InetAddress address) {
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

    /** Whether a ban by an operator matches the client. */
    public boolean isBannedByOperator(ClientInfo client) {
        return operators.isBanned(client);
    }

    public void loginFailed(InetAddress address) {
        sourceFailed(failedLogins, BanCause.SOURCE_FAILED_LOGINS, address);
    }

    public void violated(InetAddress address) {
        sourceFailed(violations, BanCause.SOURCE_VIOLATIONS, address);
    }

    /** Whether a connection that ended after this many seconds counts as a flap. */
    public boolean isFlap(int ageSeconds) {
        return (sourceFlaps.isCounting() || clientFlaps.isCounting())
                && ageSeconds < config.flap().toSeconds();
    }

    public void flapped(InetAddress address, ClientInfo client, String mountPoint) {
        sourceFailed(sourceFlaps, BanCause.SOURCE_FLAPPING, address);
        if (clientFlaps.failed(Place.of(client, mountPoint), nanoTime.getAsLong())) {
            report(BanCause.CLIENT_FLAPPING, client.clientId().value());
        }
    }

    /**
     * Bans that this node has made and that are in force, by id. Any thread; takes no lock. May look at all bans of the
     * requested kinds, so do not call it on event loops.
     */
    public List<AutomaticBan> automatic(AutomaticBanQuery query) {
        List<AutomaticBan> found = new ArrayList<>();
        TenantId tenant = query.tenant();
        if (query.withClients()) { // ordered by id
            add(
                    found,
                    clientFlaps,
                    query,
                    place -> tenant == null || place.tenant.equals(tenant.value()),
                    (ban, age, left) -> new AutomaticBan(
                            ban.id(),
                            BanCause.CLIENT_FLAPPING,
                            ban.key().tenant,
                            ban.key().clientId,
                            ban.key().mountPoint,
                            age,
                            left));
        }
        if (query.withSources() && tenant == null) {
            addSources(found, failedLogins, query, BanCause.SOURCE_FAILED_LOGINS);
            addSources(found, sourceFlaps, query, BanCause.SOURCE_FLAPPING);
            addSources(found, violations, query, BanCause.SOURCE_VIOLATIONS);
        }
        return found;
    }

    private interface Words<K> {
        AutomaticBan of(FailureCounts.Ban<K> ban, Duration age, Duration left);
    }

    private void addSources(
            List<AutomaticBan> found, FailureCounts<Long> counts, AutomaticBanQuery query, BanCause cause) {
        add(
                found,
                counts,
                query,
                source -> true,
                (ban, age, left) -> new AutomaticBan(ban.id(), cause, "", textOf(ban.key()), "", age, left));
    }

    private <K> void add(
            List<AutomaticBan> found,
            FailureCounts<K> counts,
            AutomaticBanQuery query,
            Predicate<K> isWanted,
            Words<K> words) {
        long now = nanoTime.getAsLong();
        for (FailureCounts.Ban<K> ban : counts.bans(query.from(), query.limit() - found.size(), isWanted, now)) {
            long age = now - ban.sinceNanos();
            long left = Math.max(Duration.ofMillis(1).toNanos(), ban.banNanos() - age);
            found.add(words.of(ban, Duration.ofNanos(Math.max(0, age)), Duration.ofNanos(left)));
        }
    }

    /** See {@link ConnectionGate#sourceOf}: 32 bits of an IPv4 address, else the first 64 of IPv6. */
    private static String textOf(long source) {
        boolean isV4 = source != 0 && source >>> Integer.SIZE == 0; // 0 is ::1, and 0.0.0.0 is never a peer
        return new AddressBlock(!isV4, source, 0, isV4 ? Integer.SIZE : Long.SIZE).toString();
    }

    /**
     * Ends one automatic ban on this node.
     *
     * @param tenant the tenant it must be of; null for any
     * @return whether it was in force
     */
    public boolean lift(String id, @Nullable TenantId tenant) {
        long now = nanoTime.getAsLong();
        return clientFlaps.lift(id, place -> tenant == null || place.tenant.equals(tenant.value()), now)
                || tenant == null
                        && (failedLogins.lift(id, source -> true, now)
                                || sourceFlaps.lift(id, source -> true, now)
                                || violations.lift(id, source -> true, now));
    }

    /**
     * The scope in which a client id identifies one client. Ordered, so that maps stay fast when client ids collide.
     */
    private record Place(String clientId, String tenant, String mountPoint) implements Comparable<Place> {
        private static final int ID_BYTES = 16;
        private static final Comparator<Place> ORDER = Comparator.comparing(Place::clientId)
                .thenComparing(Place::tenant)
                .thenComparing(Place::mountPoint);

        static Place of(ClientInfo client, String mountPoint) {
            return new Place(client.clientId().value(), client.tenant().value(), mountPoint);
        }

        /** Of fixed length, whatever the length of the names. */
        String id() {
            try {
                MessageDigest sha = MessageDigest.getInstance("SHA-256");
                for (String part : List.of(tenant, mountPoint, clientId)) {
                    sha.update(part.getBytes(StandardCharsets.UTF_8));
                    sha.update((byte) 0); // a separator that none of the parts contains
                }
                byte[] hash = Arrays.copyOf(sha.digest(), ID_BYTES);
                return "auto-c-" + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
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
