package io.godwit.api.port.client;

import java.util.Comparator;

/**
 * Refers to a client of the cluster by the texts of its tenant and client id, which need not be valid. Ordered by
 * tenant, then by client id, each by its UTF-16 code units ({@link String#compareTo}), alike on every node.
 */
public record ClientReference(String tenant, String clientId) implements Comparable<ClientReference> {
    private static final Comparator<ClientReference> ORDER =
            Comparator.comparing(ClientReference::tenant).thenComparing(ClientReference::clientId);

    @Override
    public int compareTo(ClientReference other) {
        return ORDER.compare(this, other);
    }
}
