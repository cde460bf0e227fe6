package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.SplittableRandom;

/**
 * Keys and values that follow from a number, so that many of them need not be kept to be compared. Values hardly get
 * smaller by compression.
 */
public final class FillText {
    private static final byte[] DIGITS =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+_".getBytes(US_ASCII);

    private FillText() {}

    /** Of the same length for all numbers below ten million, so that their order is that of the numbers. */
    public static String key(long number) {
        return String.format("k%07d", number);
    }

    public static String value(long number, int bytes) {
        SplittableRandom random = new SplittableRandom(number);
        byte[] text = new byte[bytes];
        long bits = 0;
        for (int i = 0; i < bytes; i++) {
            bits = i % 10 == 0 ? random.nextLong() : bits >>> 6;
            text[i] = DIGITS[(int) (bits & 63)];
        }
        return new String(text, US_ASCII);
    }
}
