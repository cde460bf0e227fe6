package io.godwit.perf.cluster;

import java.util.Locale;

/** The stores whose ranges have voters, by the names that {@code godwit-admin} has for them. */
enum Store {
    DIST,
    INBOX,
    RETAIN;

    String adminName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
