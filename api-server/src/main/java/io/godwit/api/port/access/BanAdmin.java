package io.godwit.api.port.access;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Bans: those of operators, which hold on all nodes, and automatic ones of single nodes. Called on any thread; calls
 * return at once and do not block. Futures complete on any thread, which the callback must not block, soon after
 * {@code within} at the latest. They fail with {@link NotServingException} when the change was not stored in time; it
 * may still be stored.
 *
 * <p>A change completes when every serving node applies it, or has not confirmed it within five seconds.
 */
public interface BanAdmin {
    /**
     * The most bans of client ids and user names by operators, about: each of the requests under way may add one more.
     */
    int MAX_BANS = 10_000;

    /** The most bans of addresses by operators, about. Tenant-bound callers make none. */
    int MAX_ADDRESS_BANS = 10_000;

    /** The most of {@link #MAX_BANS} that all tenant-bound callers together may make. */
    int MAX_BANS_OF_TENANTS = 5_000;

    /** The most of these that tenant-bound callers may make in their tenant, so that other tenants can still ban. */
    int MAX_BANS_OF_TENANT = 1_000;

    /** The longest subject, in bytes of UTF-8. */
    int MAX_SUBJECT_BYTES = 8_192;

    /** What a ban matches a client by. */
    enum Kind {
        /** Its client id. */
        CLIENT,
        /** Its user name, as the auth provider gives it. */
        USER,
        /** Its address. */
        ADDRESS
    }

    /**
     * A ban.
     *
     * @param id of letters, digits, {@code -} and {@code _}; the same for the same tenant, kind and subject, and
     *     for automatic ones for the same reason. Several nodes may have an automatic one with the same id
     * @param tenant empty for an address, which is banned in all tenants
     * @param subject the client id or user name exactly; an address, or a block such as {@code 10.0.0.0/8}
     * @param untilMillis of the wall clock, since the epoch; -1 for no end. A ban that has ended has no effect, and
     *     is removed about an hour later
     * @param by name of the caller that made it; empty for an automatic one
     * @param sinceMillis of the wall clock
     * @param automatic whether a node made it by itself; it then holds on that node only
     * @param node that node; empty for a ban of an operator
     * @param mountPoint of the listeners on which an automatic ban of a client id holds; else empty
     */
    record Ban(
            String id,
            String tenant,
            Kind kind,
            String subject,
            long untilMillis,
            String reason,
            String by,
            long sinceMillis,
            boolean automatic,
            String node,
            String mountPoint) {
        /** A ban made by an operator. */
        public Ban(
                String id,
                String tenant,
                Kind kind,
                String subject,
                long untilMillis,
                String reason,
                String by,
                long sinceMillis) {
            this(id, tenant, kind, subject, untilMillis, reason, by, sinceMillis, false, "", "");
        }

        public BanKey key() {
            return new BanKey(id, node);
        }
    }

    /** Position of a ban in the list of all: by id, then by node. */
    record BanKey(String id, String node) implements Comparable<BanKey> {
        private static final Comparator<BanKey> ORDER =
                Comparator.comparing(BanKey::id).thenComparing(BanKey::node);

        @Override
        public int compareTo(BanKey other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A ban to be made.
     *
     * @param tenant ignored for an address
     * @param seconds empty for no end
     * @param by name of the caller
     * @param isTenantBound whether the caller is bound to the tenant
     */
    record Wanted(
            String tenant,
            Kind kind,
            String subject,
            OptionalLong seconds,
            String reason,
            String by,
            boolean isTenantBound) {}

    /** Selects the bans that meet every condition given. */
    record BanFilter(Optional<String> tenant, Optional<Kind> kind, Optional<Boolean> automatic) {
        public boolean matches(Ban ban) {
            return tenant.map(ban.tenant()::equals).orElse(true)
                    && kind.map(each -> each == ban.kind()).orElse(true)
                    && automatic.map(each -> each == ban.automatic()).orElse(true);
        }
    }

    /** @param isNew false when it replaced a ban of the same subject */
    record Made(Ban ban, boolean isNew) {}

    /**
     * Bans by their keys: those of operators as this node knows them, automatic ones as each node reports them.
     *
     * @param after null for the first page
     */
    CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
            BanFilter filter, @Nullable BanKey after, int limit, Duration within);

    /**
     * Bans a subject. From completion on, each node refuses and disconnects the clients it matches.
     *
     * <p>Fails with {@link IllegalArgumentException} for an invalid subject, with {@link LimitReachedException}, and
     * with {@link NotAllowedException} when a caller that is bound to a tenant would replace a ban in force that an
     * operator of the cluster made.
     */
    CompletableFuture<Made> ban(Wanted wanted, Duration within);

    /**
     * Lifts a ban; an automatic one on each node that has it. Fails with {@link NotAllowedException} as {@link #ban}
     * does.
     *
     * @param tenant the tenant that the caller is bound to, which the ban must be in; empty for any, and addresses
     * @return whether there was one; missing are nodes that have not confirmed and may still have it
     */
    CompletableFuture<ClusterAnswer<Boolean>> unban(Optional<String> tenant, String id, Duration within);
}
