package io.godwit.api.port;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Who is kept out: by operators, on all nodes, and by single nodes that do so by themselves. Called on any thread;
 * calls return at once and do not block. Futures complete
 * on any thread, which the callback must not hold up, and at the latest soon after {@code within}. They fail with
 * {@link NotServingException} when it was not stored in time; it may be stored all the same then.
 *
 * <p>A change completes when all nodes that serve act by it, or have not said so in five seconds.
 */
public interface BanAdmin {
    /** About so many there may be; as many requests as are under way may each add one more. */
    int MAX_BANS = 10_000;

    /** Of these in a tenant by whoever is bound to it: other tenants have room left. */
    int MAX_BANS_OF_TENANT = 1_000;

    /** The longest subject, in bytes of UTF-8. */
    int MAX_SUBJECT_BYTES = 8_192;

    /** What of a client is banned. */
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
     * @param id of letters, digits, {@code -} and {@code _}; the same for the same tenant, kind and subject, and for
     *     automatic ones for the same reason. Several nodes may have an automatic one of the same id
     * @param tenant empty for an address, which is banned in all tenants
     * @param subject the client id or user name exactly; an address, or a block such as {@code 10.0.0.0/8}
     * @param untilMillis of the wall clock, since the epoch; -1 for no end. One that has ended has no effect, and is
     *     removed about an hour later
     * @param by who has banned it; empty for an automatic one
     * @param sinceMillis of the wall clock
     * @param automatic whether a node has made it by itself, and acts by it alone
     * @param node that one; empty for a ban of an operator
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
        /** By an operator. */
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

    /** Where a ban is in the list of all: by id, then by node. */
    record BanKey(String id, String node) implements Comparable<BanKey> {
        private static final Comparator<BanKey> ORDER =
                Comparator.comparing(BanKey::id).thenComparing(BanKey::node);

        @Override
        public int compareTo(BanKey other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * What is to be banned.
     *
     * @param tenant not looked at for an address
     * @param seconds empty for no end
     * @param by who asks for it
     * @param isTenantBound whether who asks is bound to the tenant
     */
    record Wanted(
            String tenant,
            Kind kind,
            String subject,
            OptionalLong seconds,
            String reason,
            String by,
            boolean isTenantBound) {}

    /** Which bans are wanted: those that meet all that is given. */
    record BanFilter(Optional<String> tenant, Optional<Kind> kind, Optional<Boolean> automatic) {
        public boolean matches(Ban ban) {
            return tenant.map(ban.tenant()::equals).orElse(true)
                    && kind.map(each -> each == ban.kind()).orElse(true)
                    && automatic.map(each -> each == ban.automatic()).orElse(true);
        }
    }

    /** @param isNew false when it has taken the place of one of the same subject */
    record Made(Ban ban, boolean isNew) {}

    /**
     * Bans by their keys: those of operators as this node knows them, automatic ones as each node tells.
     *
     * @param after null for the first page
     */
    CompletableFuture<Answer<Page<Ban, BanKey>>> bans(
            BanFilter filter, @Nullable BanKey after, int limit, Duration within);

    /**
     * Bans. From then on whoever meets it is refused on each node, and disconnected.
     *
     * <p>Fails with {@link IllegalArgumentException} for a subject that cannot be one, and with
     * {@link LimitReachedException}.
     */
    CompletableFuture<Made> ban(Wanted wanted, Duration within);

    /**
     * Lifts a ban, an automatic one on each node that has it.
     *
     * @param tenant that it must be of; empty for any, and addresses
     * @return whether there was one
     */
    CompletableFuture<Answer<Boolean>> unban(Optional<String> tenant, String id, Duration within);
}
