package io.godwit.plugin.client;

import java.util.Optional;

/** A name space of topics and sessions. The name is 1 to 64 characters out of letters, digits, '-', '_' and '.'. */
public record TenantId(String value) implements Comparable<TenantId> {
    /** The tenant of every client that has no other tenant. */
    public static final TenantId DEFAULT = new TenantId("default");

    private static final int MAX_CHARS = 64;

    public TenantId {
        if (value.isEmpty() || value.length() > MAX_CHARS) {
            throw new IllegalArgumentException(
                    "a tenant id must have 1 to " + MAX_CHARS + " characters, was " + value.length());
        }
        if (!hasValidCharacters(value)) {
            throw new IllegalArgumentException("a tenant id may have only letters, digits, '-', '_', '.': " + value);
        }
    }

    /** The tenant with this name; empty when the name is not valid. */
    public static Optional<TenantId> parse(String name) {
        return !name.isEmpty() && name.length() <= MAX_CHARS && hasValidCharacters(name)
                ? Optional.of(new TenantId(name))
                : Optional.empty();
    }

    private static boolean hasValidCharacters(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letterOrDigit && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    @Override
    public int compareTo(TenantId other) {
        return value.compareTo(other.value);
    }
}
