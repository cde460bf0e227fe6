package io.godwit.perf.option;

import io.godwit.perf.scenario.Quantity;

/** Parses numbers in options. */
public final class Numbers {
    private Numbers() {}

    public static int clients(String text) {
        double number = Quantity.number(text)
                .orElseThrow(() -> new IllegalArgumentException("--clients: not a number as 100, 1.5k or 1M: " + text));
        if (number < 1 || number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("--clients: at least 1, was " + text);
        }
        return (int) Math.round(number);
    }
}
