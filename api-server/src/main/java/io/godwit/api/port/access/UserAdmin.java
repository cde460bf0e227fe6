package io.godwit.api.port.access;

import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Users and rules of the auth provider {@code file}: the shared ones of all nodes, and those of this node's files for
 * display. Called on any thread; calls return at once and do not block. Futures complete like those of
 * {@link BanAdmin}. Changes fail with {@link NotServingException}, with {@link IllegalArgumentException} for invalid
 * values, and with {@link NotAllowedException} for entries that belong to a file.
 */
public interface UserAdmin {
    /** The most shared users, about. */
    int MAX_USERS = 10_000;

    /** How a password is hashed. */
    enum Hash {
        BCRYPT,
        ARGON2,
        SCRAM
    }

    /**
     * A user.
     *
     * @param isOfFile whether it is in this node's file, which takes precedence over a shared one with the same name
     * @param hash how its password is hashed, with its cost
     * @param by name of the caller that set it; empty for one of the file
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
     * Lines in the form of the rules file. The first that applies decides; those of the file come first.
     *
     * @param by name of the caller that set the shared ones; empty when nobody has
     * @param version of the shared ones, of letters and digits; changes whenever they are set
     */
    record Rules(List<String> ofFile, List<String> shared, String by, long sinceMillis, String version) {
        /** Version before the first rules are set. */
        public static final String NO_VERSION = "0";

        public Rules {
            ofFile = List.copyOf(ofFile);
            shared = List.copyOf(shared);
        }
    }

    /**
     * Users in order, as this node knows them.
     *
     * @param after the last user of the page before; null for the first page
     */
    CompletableFuture<Page<User, User>> users(@Nullable User after, int limit);

    /**
     * Sets the password of a shared user. Fails also with {@link LimitReachedException}.
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
     * Replaces all shared rules. Fails with {@link NotAllowedException} where there is no rules file, and with
     * {@link ChangedMeanwhileException} when {@code mayReplace} refuses the present version.
     *
     * @param mayReplace tests the present version; called on any thread, perhaps more than once
     */
    CompletableFuture<Void> setRules(List<String> lines, Predicate<String> mayReplace, String by, Duration within);
}
