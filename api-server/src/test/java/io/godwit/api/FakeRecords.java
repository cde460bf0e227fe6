package io.godwit.api;

import io.godwit.api.port.BanAdmin;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.TokenAdmin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** Bans and tokens in memory. Thread-safe. */
final class FakeRecords implements BanAdmin, TokenAdmin {
    static final long START = 1_700_000_000_000L;

    final SortedMap<String, Ban> bans = new ConcurrentSkipListMap<>();
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
    public CompletableFuture<Page<Ban, String>> bans(BanFilter filter, String after, int limit) {
        List<Ban> found = bans.values().stream()
                .filter(ban -> filter.matches(ban) && (after == null || ban.id().compareTo(after) > 0))
                .toList();
        List<Ban> page = found.subList(0, Math.min(limit, found.size()));
        return CompletableFuture.completedFuture(new Page<>(
                page, found.size() > limit ? page.get(page.size() - 1).id() : null));
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
    public CompletableFuture<Boolean> unban(Optional<String> tenant, String id, Duration within) {
        Ban ban = bans.get(id);
        boolean isMeant = ban != null && tenant.map(ban.tenant()::equals).orElse(true);
        return done(isMeant && bans.remove(id) != null);
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
    public CompletableFuture<Boolean> remove(String name, Duration within) {
        boolean existed = tokens.remove(name) != null;
        listed = List.copyOf(tokens.values());
        return done(existed);
    }
}
