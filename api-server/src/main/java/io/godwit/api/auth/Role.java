package io.godwit.api.auth;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What somebody may do; each may do what those before it may. */
public enum Role {
    /** Look. */
    VIEWER,
    /** Disconnect clients, and whatever else is daily work. */
    OPERATOR,
    /** Everything. */
    ADMIN;

    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** As files and options spell it. */
    public String spelled() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> parse(String text) {
        return Stream.of(values()).filter(role -> role.spelled().equals(text)).findFirst();
    }
}
