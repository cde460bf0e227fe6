package io.godwit.perf.cluster;

import java.util.Locale;

/** The stores whose ranges have voters, by their names in {@code godwit-admin}. */
enum Store {
    DIST,
    INBOX,
    RETAIN;

    String adminName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
