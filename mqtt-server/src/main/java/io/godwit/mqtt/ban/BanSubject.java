package io.godwit.mqtt.ban;

import io.godwit.plugin.client.TenantId;
import java.util.Comparator;

/** What a ban matches clients by. */
public sealed interface BanSubject permits BanSubject.OfClient, BanSubject.OfUser, BanSubject.OfAddress {
    /** Clients with this client id. Ordered, so that maps stay fast when client ids collide. */
    record OfClient(TenantId tenant, String clientId) implements BanSubject, Comparable<OfClient> {
        private static final Comparator<OfClient> ORDER =
                Comparator.comparing(OfClient::clientId).thenComparing(OfClient::tenant);

        @Override
        public int compareTo(OfClient other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Clients with this user name, as the auth provider gives it. Ordered, so that maps stay fast when user names
     * collide.
     */
    record OfUser(TenantId tenant, String userName) implements BanSubject, Comparable<OfUser> {
        private static final Comparator<OfUser> ORDER =
                Comparator.comparing(OfUser::userName).thenComparing(OfUser::tenant);

        @Override
        public int compareTo(OfUser other) {
            return ORDER.compare(this, other);
        }
    }

    /** Clients from these addresses, in any tenant. */
    record OfAddress(AddressBlock block) implements BanSubject {}
}
