package io.godwit.api.port.client;

import java.util.Comparator;

/**
 * Identifies a client in a cluster. Ordered by tenant, then by client id, each by its UTF-16 code units
 * ({@link String#compareTo}), alike on every node.
 */
public record ClientKey(String tenant, String clientId) implements Comparable<ClientKey> {
    private static final Comparator<ClientKey> ORDER =
            Comparator.comparing(ClientKey::tenant).thenComparing(ClientKey::clientId);

    @Override
    public int compareTo(ClientKey other) {
        return ORDER.compare(this, other);
    }
}
