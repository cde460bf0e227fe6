package io.godwit.broker.records;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.UserAdmin;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.auth.SharedUsers;
import io.godwit.broker.records.wire.RulesValue;
import io.godwit.broker.records.wire.UserValue;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.RecordStore;
import io.godwit.dist.record.RecordStore.Change;
import io.godwit.dist.record.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users and rules of operators: one record per user, of kind {@code user}, and one of kind {@code rules}. Every
 * node passes applied records to its {@link FileAuth}. A thread that hashes passwords and sorts lists exists only while
 * there are requests. Created and closed by the thread that wires the broker.
 */
public final class OperatorUsers implements UserAdmin, AutoCloseable {
    static final String USER = "user";
    static final String RULES = "rules";
    static final String ALL = "all";
    /** Bound of a record of rules, which leaves space for its other fields. */
    static final int MAX_RULES_BYTES = 15 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(OperatorUsers.class);
    /** Bound of passwords waiting to be hashed, at 50 milliseconds each. */
    private static final int MAX_WAITING = 16;

    private static final long IDLE_SECONDS = 10;
    private static final Rules NO_RULES = new Rules(List.of(), List.of(), "", 0, Rules.NO_VERSION);

    private final FileAuth auth;
    private final Changes changes;
    private final LongSupplier nowMillis;
    private final int most;
    private final SecureRandom random = new SecureRandom();
    private final ConcurrentMap<String, User> users = new ConcurrentHashMap<>();
    private volatile Rules rules = NO_RULES;

    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                Thread made = new Thread(task, "operator-users");
                made.setDaemon(true);
                return made;
            });

    /**
     * Passes on the stored records, and keeps them up to date.
     *
     * @param nowMillis wall time that does not step
     */
    public OperatorUsers(RecordStore records, FileAuth auth, LongSupplier nowMillis) {
        this(records, auth, nowMillis, MAX_USERS);
    }

    OperatorUsers(RecordStore records, FileAuth auth, LongSupplier nowMillis, int most) {
        this.auth = auth;
        this.changes = new Changes(records);
        this.nowMillis = nowMillis;
        this.most = most;
        thread.allowCoreThreadTimeOut(true);
        records.index().listen(USER, new UserListener());
        records.index().listen(RULES, new RulesListener());
    }

    private final class UserListener implements RecordIndex.Listener {
        @Override
        public void stored(StoredRecord record) {
            try {
                UserValue stored = UserValue.parseFrom(record.value());
                auth.sharedUsers().put(record.name(), stored.getCredential());
                users.put(
                        record.name(),
                        new User(
                                record.name(),
                                false,
                                SharedUsers.kind(stored.getCredential()),
                                stored.getBy(),
                                stored.getSinceMillis()));
            } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
                LOG.error("a stored user cannot log in on this node user={} cause={}", record.name(), e.getMessage());
                gone(record.name());
            }
        }

        @Override
        public void gone(String name) {
            auth.sharedUsers().remove(name);
            users.remove(name);
        }
    }

    private final class RulesListener implements RecordIndex.Listener {
        @Override
        public void stored(StoredRecord record) {
            try {
                RulesValue stored = RulesValue.parseFrom(record.value());
                auth.shareRules(stored.getLinesList());
                rules = new Rules(
                        List.of(), stored.getLinesList(), stored.getBy(), stored.getSinceMillis(), version(record));
            } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
                LOG.error("stored rules have no effect on this node, the old ones stay cause={}", e.getMessage());
            }
        }

        @Override
        public void gone(String name) {
            auth.shareRules(List.of());
            rules = NO_RULES;
        }
    }

    @Override
    public CompletableFuture<Page<User, User>> users(@Nullable User after, int limit) {
        return onThread(() -> {
            NavigableSet<User> all = new TreeSet<>(users.values());
            auth.usersOfFile().forEach((name, hash) -> all.add(new User(name, true, hash, "", 0)));
            List<User> rest = (after == null ? all : all.tailSet(after, false))
                    .stream().limit(limit + 1L).toList();
            return rest.size() <= limit
                    ? new Page<>(rest, null)
                    : new Page<>(rest.subList(0, limit), rest.get(limit - 1));
        });
    }

    @Override
    public CompletableFuture<Boolean> put(String name, byte[] password, Hash hash, String by, Duration within) {
        if (auth.isOfFile(name)) {
            return CompletableFuture.failedFuture(ofFile());
        }
        byte[] copy = password.clone();
        long begun = System.nanoTime();
        return onThread(() -> SharedUsers.credential(
                        copy,
                        switch (hash) {
                            case BCRYPT -> SharedUsers.Hash.BCRYPT;
                            case ARGON2 -> SharedUsers.Hash.ARGON2;
                            case SCRAM -> SharedUsers.Hash.SCRAM;
                        },
                        random))
                .thenCompose(credential -> changes.change(
                        USER,
                        name,
                        present -> {
                            if (present == null && users.size() >= most) {
                                throw new LimitReachedException("there are " + most + " users already");
                            }
                            return Change.put(UserValue.newBuilder()
                                    .setCredential(credential)
                                    .setBy(by)
                                    .setSinceMillis(nowMillis.getAsLong())
                                    .build()
                                    .toByteArray());
                        },
                        within.minusNanos(System.nanoTime() - begun)))
                .thenApply(before -> before == null);
    }

    private static NotAllowedException ofFile() {
        return new NotAllowedException("that user is in the file of this node: change it there");
    }

    private <T> CompletableFuture<T> onThread(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new NotServingException("this node hashes " + MAX_WAITING + " passwords already; ask again later"));
        }
    }

    @Override
    public CompletableFuture<Boolean> remove(String name, Duration within) {
        return changes.change(USER, name, present -> Change.DELETE, within).thenApply(before -> {
            if (before == null && auth.isOfFile(name)) {
                throw ofFile();
            }
            return before != null;
        });
    }

    @Override
    public CompletableFuture<Rules> rules() {
        Rules shared = rules;
        return CompletableFuture.completedFuture(
                new Rules(auth.rulesOfFile(), shared.shared(), shared.by(), shared.sinceMillis(), shared.version()));
    }

    private static String version(@Nullable StoredRecord record) {
        return record == null ? Rules.NO_VERSION : Long.toHexString(record.revision());
    }

    @Override
    public CompletableFuture<Void> setRules(
            List<String> lines, Predicate<String> mayReplace, String by, Duration within) {
        if (!auth.hasRules()) {
            return CompletableFuture.failedFuture(new NotAllowedException(
                    "authConfig.aclFile names no file of rules, so every user may do everything"));
        }
        List<String> mistakes = FileAuth.mistakes(lines);
        if (!mistakes.isEmpty()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(String.join("; ", mistakes)));
        }
        int bytes = lines.stream()
                .mapToInt(line -> line.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > MAX_RULES_BYTES) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("rules have at most " + MAX_RULES_BYTES + " bytes, had " + bytes));
        }
        byte[] value = RulesValue.newBuilder()
                .addAllLines(lines)
                .setBy(by)
                .setSinceMillis(nowMillis.getAsLong())
                .build()
                .toByteArray();
        return changes.change(
                        RULES,
                        ALL,
                        present -> {
                            if (!mayReplace.test(version(present))) {
                                throw new ChangedMeanwhileException(
                                        "the rules are not those that were to be replaced; read them again");
                            }
                            return Change.put(value);
                        },
                        within)
                .thenApply(before -> null);
    }

    @Override
    public void close() {
        thread.shutdown(); // waiting tasks still run: somebody waits for them
    }
}
