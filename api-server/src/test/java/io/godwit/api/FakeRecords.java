package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.TokenAdmin;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Bans and tokens in memory. Thread-safe. */
final class FakeRecords implements BanAdmin, TokenAdmin {
    static final long START = 1_700_000_000_000L;

    final SortedMap<String, Ban> bans = new ConcurrentSkipListMap<>();
    /** Bans that nodes have made by themselves. */
    final SortedMap<BanKey, Ban> automatic = new ConcurrentSkipListMap<>();
    /** Nodes that do not report theirs. */
    volatile List<String> missing = List.of();

    private final SortedMap<String, Token> tokens = new ConcurrentSkipListMap<>();
    private volatile List<Token> listed = List.of();
    volatile long now = START;
    volatile int mostBans = 1_000;
    volatile boolean isStoreGone;

    private <T> CompletableFuture<T> done(T value) {
        return isStoreGone
                ? CompletableFuture.failedFuture(new NotServingException("no quorum"))
                : CompletableFuture.completedFuture(value);
    }

    private static String id(String tenant, Kind kind, String subject) {
        return Integer.toHexString((tenant + kind + subject).hashCode());
    }

    @Override
    public CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
            BanFilter filter, BanKey after, int limit, Duration within) {
        List<Ban> found = Stream.concat(bans.values().stream(), automatic.values().stream())
                .filter(ban ->
                        filter.matches(ban) && (after == null || ban.key().compareTo(after) > 0))
                .sorted(Comparator.comparing(Ban::key))
                .toList();
        List<Ban> page = found.subList(0, Math.min(limit, found.size()));
        BanKey next = found.size() > limit ? page.get(page.size() - 1).key() : null;
        return CompletableFuture.completedFuture(new ClusterAnswer<>(new Page<>(page, next), missing));
    }

    @Override
    public CompletableFuture<Made> ban(Wanted wanted, Duration within) {
        if (wanted.kind() == Kind.ADDRESS && !wanted.subject().matches("[0-9a-f.:/]+")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("must be an address"));
        }
        if (bans.size() >= mostBans) {
            return CompletableFuture.failedFuture(new LimitReachedException("at most " + mostBans));
        }
        String tenant = wanted.kind() == Kind.ADDRESS ? "" : wanted.tenant();
        Ban ban = new Ban(
                id(tenant, wanted.kind(), wanted.subject()),
                tenant,
                wanted.kind(),
                wanted.subject(),
                wanted.seconds().isEmpty()
                        ? -1
                        : now + TimeUnit.SECONDS.toMillis(wanted.seconds().getAsLong()),
                wanted.reason(),
                wanted.by(),
                now);
        return isStoreGone ? done(null) : done(new Made(ban, bans.put(ban.id(), ban) == null));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> unban(Optional<String> tenant, String id, Duration within) {
        BanFilter filter = new BanFilter(tenant, Optional.empty(), Optional.empty());
        if (id.startsWith("auto-")) {
            boolean existed = automatic.values().removeIf(ban -> ban.id().equals(id) && filter.matches(ban));
            return CompletableFuture.completedFuture(new ClusterAnswer<>(existed, missing));
        }
        Ban ban = bans.get(id);
        return done(ClusterAnswer.complete(ban != null && filter.matches(ban) && bans.remove(id) != null));
    }

    /** One that a node has made of an address. */
    void ban(String node, String id, String address, String reason) {
        Ban ban = new Ban(id, "", Kind.ADDRESS, address, START + 60_000, reason, "", START, true, node, "");
        automatic.put(ban.key(), ban);
    }

    @Override
    public List<Token> tokens() {
        return listed;
    }

    @Override
    public long nowMillis() {
        return now;
    }

    @Override
    public CompletableFuture<Boolean> add(Token token, Duration within) {
        if (isStoreGone) {
            return done(null);
        }
        boolean isNew = tokens.putIfAbsent(token.name(), token) == null;
        listed = List.copyOf(tokens.values());
        return done(isNew);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within) {
        boolean existed = tokens.remove(name) != null;
        listed = List.copyOf(tokens.values());
        return done(new ClusterAnswer<>(existed, missing));
    }
}
