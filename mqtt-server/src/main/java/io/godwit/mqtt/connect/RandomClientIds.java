package io.godwit.mqtt.connect;

import java.security.SecureRandom;
import java.util.function.Supplier;

/**
 * Client ids for clients without one: 26 characters that only the client learns, so that nobody else can take its
 * session over.
 */
public final class RandomClientIds implements Supplier<String> {
    private static final String PREFIX = "godwit";
    private static final char[] LETTERS = "abcdefghijklmnopqrstuvwxyz234567".toCharArray();

    private final SecureRandom random = new SecureRandom();

    @Override
    public String get() {
        StringBuilder id = new StringBuilder(26).append(PREFIX);
        byte[] bytes = new byte[20];
        random.nextBytes(bytes);
        for (byte b : bytes) {
            id.append(LETTERS[b & 31]);
        }
        return id.toString();
    }
}
