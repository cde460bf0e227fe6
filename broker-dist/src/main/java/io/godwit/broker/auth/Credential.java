package io.godwit.broker.auth;

/**
 * What the password file keeps of a user's password. Immutable. {@link #matches} computes for as long as the credential
 * was made to cost and so belongs on the {@link PasswordPool}.
 */
sealed interface Credential permits BcryptHash, Argon2Hash, MosquittoHash, ScramCredential {

    /** Whether {@code password}, which is not modified, is the one it was made of. */
    boolean matches(byte[] password);

    /** As it stands in the file. */
    String text();

    /** For people: the algorithm with its cost. */
    String kind();

    /**
     * Reads the part of a line behind {@code user:}.
     *
     * @throws IllegalArgumentException whose message says what is wrong; it does not repeat the text
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
