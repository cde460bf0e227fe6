package io.godwit.api.auth;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a caller may do; each role includes those before it. */
public enum Role {
    /** Read only. */
    VIEWER,
    /** Daily operation, such as disconnecting clients. */
    OPERATOR,
    /** Everything. */
    ADMIN;

    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** The name in files and options. */
    public String spelled() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> parse(String text) {
        return Stream.of(values()).filter(role -> role.spelled().equals(text)).findFirst();
    }
}
