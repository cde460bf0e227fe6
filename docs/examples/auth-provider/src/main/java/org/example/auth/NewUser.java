package org.example.auth;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/** Prints a line for the file of users. Reads the password from its input, where {@code ps} does not show it. */
public final class NewUser {
    private static final int ITERATIONS = 600_000;
    private static final int MAX_INPUT_BYTES = 4_096;

    private NewUser() {}

    /** @param words name, prefixes for publishes, prefixes for subscriptions */
    public static void main(String[] words) throws IOException {
        if (words.length != 3) {
            throw new IllegalArgumentException("expected: NAME PUBLISH SUBSCRIBE, and the password in the input");
        }
        byte[] input = System.in.readNBytes(MAX_INPUT_BYTES);
        boolean hasLineEnd = input.length > 0 && input[input.length - 1] == '\n';
        byte[] password = Arrays.copyOf(input, hasLineEnd ? input.length - 1 : input.length);
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        Base64.Encoder base64 = Base64.getEncoder();
        String line = words[0] + ":" + ITERATIONS + ":" + base64.encodeToString(salt) + ":"
                + base64.encodeToString(User.hash(password, salt, ITERATIONS)) + ":" + words[1] + ":" + words[2];
        User.parse(line); // refuses what the broker would refuse, such as an empty password
        System.out.println(line);
    }
}
