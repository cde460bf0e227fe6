package io.godwit.api;

import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.UserAdmin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;

/** Users in memory, with {@code root} in the file. Thread-safe. */
final class FakeUsers implements UserAdmin {
    private static final User ROOT = new User("root", true, "bcrypt cost=10", "", 0);

    final SortedMap<String, User> shared = new ConcurrentSkipListMap<>();
    final Map<String, String> passwords = new ConcurrentHashMap<>();
    volatile Rules rules = new Rules(List.of("allow all user root #"), List.of(), "", 0, Rules.NO_VERSION);

    @Override
    public CompletableFuture<Page<User, User>> users(User after, int limit) {
        TreeSet<User> all = new TreeSet<>(shared.values());
        all.add(ROOT);
        List<User> rest = all.stream()
                .filter(each -> after == null || each.compareTo(after) > 0)
                .toList();
        List<User> page = rest.subList(0, Math.min(limit, rest.size()));
        return CompletableFuture.completedFuture(
                new Page<>(page, rest.size() > limit ? page.get(page.size() - 1) : null));
    }

    private static void check(String name) {
        if (name.equals("root")) {
            throw new NotAllowedException("root is of the file");
        }
    }

    @Override
    public CompletableFuture<Boolean> put(String name, byte[] password, Hash hash, String by, Duration within) {
        check(name);
        if (hash == Hash.BCRYPT && password.length > 72) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("at most 72 bytes"));
        }
        passwords.put(name, new String(password, StandardCharsets.UTF_8));
        User user = new User(name, false, hash.name(), by, FakeRecords.START);
        return CompletableFuture.completedFuture(shared.put(name, user) == null);
    }

    @Override
    public CompletableFuture<Boolean> remove(String name, Duration within) {
        check(name);
        return CompletableFuture.completedFuture(shared.remove(name) != null);
    }

    @Override
    public CompletableFuture<Rules> rules() {
        return CompletableFuture.completedFuture(rules);
    }

    @Override
    public synchronized CompletableFuture<Void> setRules(
            List<String> lines, Predicate<String> mayReplace, String by, Duration within) {
        if (!mayReplace.test(rules.version())) {
            return CompletableFuture.failedFuture(new ChangedMeanwhileException("the rules are others now"));
        }
        if (lines.contains("allow")) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("line 1: ends"));
        }
        rules = new Rules(rules.ofFile(), lines, by, FakeRecords.START, rules.version() + "a");
        return CompletableFuture.completedFuture(null);
    }
}
