package io.godwit.broker.auth;

import io.godwit.broker.auth.password.Argon2Hash;
import io.godwit.broker.auth.password.BcryptHash;
import io.godwit.broker.auth.password.Credential;
import io.godwit.broker.auth.password.PasswordFile;
import io.godwit.broker.auth.password.ScramCredential;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The users that all nodes share, in addition to the users of this node's file; for a name in both, the file counts.
 * Any thread. Clients choose the names that are looked up; the map stays fast for colliding hash codes, since strings
 * are comparable.
 */
public final class SharedUsers {
    private final ConcurrentHashMap<String, Credential> users = new ConcurrentHashMap<>();

    /** How a password is stored. */
    public enum Hash {
        BCRYPT,
        ARGON2,
        SCRAM
    }

    SharedUsers() {}

    /**
     * Makes a credential, as slow as the kind demands; not for event loops.
     *
     * @return the text in a file of users
     * @throws IllegalArgumentException if the kind does not accept the password
     */
    public static String credential(byte[] password, Hash hash, SecureRandom random) {
        return switch (hash) {
            case BCRYPT ->
                BcryptHash.of(password, BcryptHash.DEFAULT_COST, random).text();
            case ARGON2 -> Argon2Hash.of(password, random).text();
            case SCRAM ->
                ScramCredential.of(password, ScramCredential.DEFAULT_ITERATIONS, random)
                        .text();
        };
    }

    /**
     * The algorithm and its cost, for people.
     *
     * @throws IllegalArgumentException if this node does not know the credential
     */
    public static String kind(String credential) {
        return Credential.parse(credential).kind();
    }

    /** @throws IllegalArgumentException if a line of a file cannot contain the name */
    public static void checkName(String user) {
        PasswordFile.checkUser(user);
    }

    /**
     * Adds or replaces a user.
     *
     * @throws IllegalArgumentException if this node does not know the credential
     */
    public void put(String user, String credential) {
        users.put(user, Credential.parse(credential));
    }

    public void remove(String user) {
        users.remove(user);
    }

    @Nullable
    Credential get(String user) {
        return users.get(user);
    }
}
