package io.godwit.broker.auth;

import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Users that all nodes have, beside those of this node's file: of one name the file's counts. Any thread. User names
 * are what clients choose; the map stays fast for names whose hash codes collide, since strings are ordered.
 */
public final class SharedUsers {
    private final ConcurrentHashMap<String, Credential> users = new ConcurrentHashMap<>();

    /** How a password is kept. */
    public enum Hash {
        BCRYPT,
        ARGON2,
        SCRAM
    }

    SharedUsers() {}

    /**
     * Takes the time that the hash is made to cost: not on event loops.
     *
     * @return as it stands in a file of users
     * @throws IllegalArgumentException when the hash does not take the password
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
     * The algorithm with its cost, for people.
     *
     * @throws IllegalArgumentException when it is no credential that this node knows
     */
    public static String kind(String credential) {
        return Credential.parse(credential).kind();
    }

    /** @throws IllegalArgumentException when no line of a file could hold the name */
    public static void checkName(String user) {
        PasswordFile.checkUser(user);
    }

    /**
     * In the place of an earlier one.
     *
     * @throws IllegalArgumentException when it is no credential that this node knows
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
