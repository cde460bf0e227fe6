package io.godwit.plugin.client;

/** A name space of topics and sessions. The name is 1 to 64 characters out of letters, digits, '-', '_' and '.'. */
public record TenantId(String value) implements Comparable<TenantId> {
    /** The tenant of every client while no plugin assigns another. */
    public static final TenantId DEFAULT = new TenantId("default");

    public TenantId {
        if (value.isEmpty() || value.length() > 64) {
            throw new IllegalArgumentException("a tenant id has 1 to 64 characters, was " + value.length());
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letterOrDigit && c != '-' && c != '_' && c != '.') {
                throw new IllegalArgumentException("a tenant id has only letters, digits, '-', '_', '.': " + value);
            }
        }
    }

    @Override
    public int compareTo(TenantId other) {
        return value.compareTo(other.value);
    }
}
