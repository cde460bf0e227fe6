package io.godwit.broker.auth.password;

/**
 * The form in which the password file stores a user's password. Immutable. {@link #matches} takes long on purpose, so
 * it belongs on the {@link PasswordPool}.
 */
public sealed interface Credential permits BcryptHash, Argon2Hash, MosquittoHash, ScramCredential {

    /** Whether the credential was made of {@code password}, which is not modified. */
    boolean matches(byte[] password);

    /** The text in the file. */
    String text();

    /** The algorithm and its cost, for people. */
    String kind();

    /**
     * Parses the part of a line after {@code user:}.
     *
     * @throws IllegalArgumentException with the error, but without the text
     */
    static Credential parse(String text) {
        if (text.startsWith("$2")) {
            return BcryptHash.parse(text);
        }
        if (text.startsWith("$argon2")) {
            return Argon2Hash.parse(text);
        }
        if (text.startsWith("$6$") || text.startsWith("$7$")) {
            return MosquittoHash.parse(text);
        }
        if (text.startsWith(ScramCredential.PREFIX)) {
            return ScramCredential.parse(text);
        }
        throw new IllegalArgumentException(
                "not a hash known here (bcrypt, argon2id, SCRAM-SHA-256, mosquitto's $6$ or $7$); "
                        + "godwit-passwd makes them");
    }
}
