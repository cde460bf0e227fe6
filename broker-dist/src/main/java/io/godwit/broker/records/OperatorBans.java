package io.godwit.broker.records;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.RecordStore;
import io.godwit.dist.record.RecordStore.Change;
import io.godwit.dist.record.StoredRecord;
import io.godwit.mqtt.ban.AddressBlock;
import io.godwit.mqtt.ban.BanTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bans of operators: one record each, of kind {@code ban}. Every node puts an applied record into its {@link
 * BanTable}. Implements {@link BanAdmin}, without bans that nodes have made automatically.
 */
public final class OperatorBans implements BanAdmin {
    static final String KIND = "ban";
    private static final Logger LOG = LoggerFactory.getLogger(OperatorBans.class);

    private final Changes changes;
    private final BanTable table;
    private final LongSupplier nowMillis;
    private final Bounds bounds;
    /** The bans in the table, by id. Written by the listener, read by any thread. */
    private final ConcurrentNavigableMap<String, Ban> bans = new ConcurrentSkipListMap<>();
    /** The ids of those that callers made who are bound to a tenant. Written and read like the bans. */
    private final Set<String> madeInTenants = ConcurrentHashMap.newKeySet();

    /**
     * How many bans there may be, about.
     *
     * @param names of client ids and user names
     * @param ofTenants of these, made by callers who are bound to a tenant
     * @param ofTenant of these, in one tenant
     * @param addresses of addresses
     */
    record Bounds(int names, int ofTenants, int ofTenant, int addresses) {}

    /** A bound that a new ban must keep. */
    private record Bound(Predicate<Ban> counted, int most, String told) {}

    /**
     * Fills the table, and keeps it up to date.
     *
     * @param nowMillis wall time, by the clock of the table
     */
    public OperatorBans(RecordStore records, BanTable table, LongSupplier nowMillis) {
        this(
                records,
                table,
                nowMillis,
                new Bounds(MAX_BANS, MAX_BANS_OF_TENANTS, MAX_BANS_OF_TENANT, MAX_ADDRESS_BANS));
    }

    OperatorBans(RecordStore records, BanTable table, LongSupplier nowMillis, Bounds bounds) {
        this.changes = new Changes(records);
        this.table = table;
        this.nowMillis = nowMillis;
        this.bounds = bounds;
        records.index().listen(KIND, new Listener());
    }

    /** Called in order, one call at a time. */
    private final class Listener implements RecordIndex.Listener {
        @Override
        public void stored(StoredRecord record) {
            Ban ban;
            try {
                ban = BanRecords.read(record.name(), record.value());
                table.put(BanRecords.subject(ban), ban.untilMillis() < 0 ? BanTable.NEVER : ban.untilMillis());
                if (BanRecords.isMadeInTenant(record.name(), record.value())) {
                    madeInTenants.add(record.name());
                } else {
                    madeInTenants.remove(record.name());
                }
            } catch (IllegalArgumentException e) {
                LOG.error("a stored ban has no effect on this node: {}", e.getMessage());
                gone(record.name());
                return;
            }
            bans.put(record.name(), ban);
        }

        @Override
        public void gone(String name) {
            madeInTenants.remove(name);
            Ban ban = bans.remove(name);
            if (ban != null) {
                table.remove(BanRecords.subject(ban));
            }
        }
    }

    @Override
    public CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
            BanFilter filter, @Nullable BanKey after, int limit, Duration within) {
        return CompletableFuture.completedFuture(ClusterAnswer.complete(page(filter, after, limit)));
    }

    private Page<Ban, BanKey> page(BanFilter filter, @Nullable BanKey after, int limit) {
        List<Ban> found = new ArrayList<>();
        for (Ban ban : (after == null ? bans : bans.tailMap(after.id(), false)).values()) {
            if (!filter.matches(ban)) {
                continue;
            }
            if (found.size() == limit) {
                return new Page<>(found, found.get(limit - 1).key());
            }
            found.add(ban);
        }
        return new Page<>(found, null);
    }

    @Override
    public CompletableFuture<Made> ban(Wanted wanted, Duration within) {
        Ban ban;
        try {
            ban = made(wanted);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        byte[] value = BanRecords.value(ban, wanted.isTenantBound());
        Optional<Ban> ended = bans.containsKey(ban.id()) ? Optional.empty() : endedInTheWay(wanted);
        if (ended.isPresent()) {
            Duration half = within.dividedBy(2);
            return removeEnded(ended.get(), half)
                    .exceptionally(failure -> {
                        LOG.info(
                                "an ended ban was not removed id={} cause={}",
                                ended.get().id(),
                                failure.toString());
                        return null;
                    })
                    .thenCompose(done -> put(ban, value, wanted, half)); // which checks the room again
        }
        return put(ban, value, wanted, within);
    }

    private CompletableFuture<Made> put(Ban ban, byte[] value, Wanted wanted, Duration within) {
        return changes.change(
                        KIND,
                        ban.id(),
                        present -> {
                            if (present == null) {
                                checkRoom(wanted);
                            } else if (wanted.isTenantBound()) {
                                checkIsOfTenant(present);
                            }
                            return Change.put(value);
                        },
                        within)
                .thenApply(before -> new Made(ban, before == null));
    }

    private void checkRoom(Wanted wanted) {
        full(wanted).ifPresent(bound -> {
            throw new LimitReachedException("there are " + bound.most + " bans " + bound.told + " already");
        });
    }

    /** The first bound without room for that ban; the narrowest comes first. */
    private Optional<Bound> full(Wanted wanted) {
        return boundsOf(wanted).stream()
                .filter(bound -> bans.values().stream().filter(bound.counted).count() >= bound.most)
                .findFirst();
    }

    private List<Bound> boundsOf(Wanted wanted) {
        if (wanted.kind() == Kind.ADDRESS) {
            return List.of(new Bound(ban -> ban.kind() == Kind.ADDRESS, bounds.addresses, "of addresses"));
        }
        Bound ofAll = new Bound(ban -> ban.kind() != Kind.ADDRESS, bounds.names, "of clients and users");
        return wanted.isTenantBound()
                ? List.of(
                        new Bound(ban -> ban.tenant().equals(wanted.tenant()), bounds.ofTenant, "of the tenant"),
                        new Bound(ban -> madeInTenants.contains(ban.id()), bounds.ofTenants, "made in tenants"),
                        ofAll)
                : List.of(ofAll);
    }

    /**
     * An ended ban to be removed so that the wanted one has room; empty if there is room already, or if no ban has
     * ended.
     */
    private Optional<Ban> endedInTheWay(Wanted wanted) {
        return full(wanted)
                .flatMap(bound -> bans.values().stream()
                        .filter(bound.counted.and(this::hasEnded))
                        .findFirst());
    }

    private boolean hasEnded(Ban ban) {
        return ban.untilMillis() >= 0 && ban.untilMillis() <= nowMillis.getAsLong();
    }

    /** Does nothing if it was renewed meanwhile. */
    private CompletableFuture<@Nullable StoredRecord> removeEnded(Ban ban, Duration within) {
        return changes.change(
                KIND,
                ban.id(),
                present -> present != null && hasEnded(BanRecords.read(ban.id(), present.value()))
                        ? Change.DELETE
                        : Change.KEEP,
                within);
    }

    private Ban made(Wanted wanted) {
        String tenant = wanted.kind() == Kind.ADDRESS ? "" : wanted.tenant();
        String subject = wanted.kind() == Kind.ADDRESS
                ? AddressBlock.parse(wanted.subject()).toString() // one spelling, so that there is one id
                : wanted.subject();
        BanRecords.subject(tenant, wanted.kind(), subject); // throws if the subject is invalid
        long now = nowMillis.getAsLong();
        return new Ban(
                BanRecords.id(tenant, wanted.kind(), subject),
                tenant,
                wanted.kind(),
                subject,
                wanted.seconds().isEmpty()
                        ? -1
                        : now + TimeUnit.SECONDS.toMillis(wanted.seconds().getAsLong()),
                wanted.reason(),
                wanted.by(),
                now);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> unban(Optional<String> tenant, String id, Duration within) {
        return changes.changed(KIND, id, present -> unbanned(tenant, present), within)
                .thenApply(done -> new ClusterAnswer<>(isOf(tenant, done.before()), done.unconfirmed()));
    }

    private Change unbanned(Optional<String> tenant, @Nullable StoredRecord present) {
        if (present == null) {
            return Change.DELETE; // so that the answer names nodes that may still have it
        }
        if (!isOf(tenant, present)) {
            return Change.KEEP;
        }
        if (tenant.isPresent()) {
            checkIsOfTenant(present);
        }
        return Change.DELETE;
    }

    /**
     * Refuses a change by a tenant's operator of a ban that an operator of the cluster made: a shorter ban in its place
     * would lift it, too. A ban that has ended has no effect, and may be replaced.
     */
    private void checkIsOfTenant(StoredRecord present) {
        boolean mayChange;
        try {
            mayChange = hasEnded(BanRecords.read(present.name(), present.value()))
                    || BanRecords.isMadeInTenant(present.name(), present.value());
        } catch (IllegalArgumentException e) {
            mayChange = false; // written by a later version, perhaps for an operator of the cluster
        }
        if (!mayChange) {
            throw new NotAllowedException(
                    "an operator of the cluster made this ban; a token that is bound to a tenant may not change or lift"
                            + " it");
        }
    }

    private static boolean isOf(Optional<String> tenant, @Nullable StoredRecord record) {
        if (record == null || tenant.isEmpty()) {
            return record != null;
        }
        try {
            return BanRecords.read(record.name(), record.value()).tenant().equals(tenant.get());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The ids of the bans that had ended at that time. */
    List<String> endedBefore(long millis) {
        return bans.values().stream()
                .filter(ban -> ban.untilMillis() >= 0 && ban.untilMillis() < millis)
                .map(Ban::id)
                .toList();
    }
}
