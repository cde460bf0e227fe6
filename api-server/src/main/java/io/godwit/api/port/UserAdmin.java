package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Users and rules of the auth provider {@code file}: those that all nodes have, and those of this node's files to look
 * at. Called on any thread; calls return at once and do not block. Futures complete as those of {@link BanAdmin} do.
 * Changes fail with {@link NotServingException}, with {@link IllegalArgumentException} for what cannot be taken, and
 * with {@link NotAllowedException} for what is changed in a file.
 */
public interface UserAdmin {
    /** About so many of the users that all nodes have. */
    int MAX_USERS = 10_000;

    /** How a password is kept. */
    enum Hash {
        BCRYPT,
        ARGON2,
        SCRAM
    }

    /**
     * A user.
     *
     * @param isOfFile whether it is one of this node's file, which counts before one of the same name
     * @param hash how its password is kept, with its cost
     * @param by who has made it; empty for one of the file
     * @param sinceMillis of the wall clock, since the epoch; 0 for one of the file
     */
    record User(String name, boolean isOfFile, String hash, String by, long sinceMillis) implements Comparable<User> {
        @Override
        public int compareTo(User other) {
            int byName = name.compareTo(other.name);
            return byName == 0 ? Boolean.compare(isOfFile, other.isOfFile) : byName;
        }
    }

    /**
     * Lines as in a file of rules. The first that applies decides; those of the file come first.
     *
     * @param by who has set the shared ones; empty when nobody has
     * @param version of the shared ones, of letters and digits: another one whenever they were set
     */
    record Rules(List<String> ofFile, List<String> shared, String by, long sinceMillis, String version) {
        /** When nobody has set any. */
        public static final String NO_VERSION = "0";

        public Rules {
            ofFile = List.copyOf(ofFile);
            shared = List.copyOf(shared);
        }
    }

    /**
     * Users in order, as this node knows them.
     *
     * @param after where the page before ended; null for the first
     */
    CompletableFuture<Page<User, User>> users(@Nullable User after, int limit);

    /**
     * Sets the password of a user that all nodes have. Fails with {@link LimitReachedException} too.
     *
     * @param password not changed
     * @return whether the user is new
     */
    CompletableFuture<Boolean> put(String name, byte[] password, Hash hash, String by, Duration within);

    /** @return whether there was one */
    CompletableFuture<Boolean> remove(String name, Duration within);

    /** Rules as this node knows them. */
    CompletableFuture<Rules> rules();

    /**
     * Sets all rules that all nodes have. Fails with {@link NotAllowedException} where there is no file of rules, and
     * with {@link ChangedMeanwhileException} when those that are there may not be replaced.
     *
     * @param mayReplace asked for the version that is there, perhaps more than once, on any thread
     */
    CompletableFuture<Void> setRules(List<String> lines, Predicate<String> mayReplace, String by, Duration within);
}
