package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The end of an authentication, by password or by an {@link AuthExchange}. */
public sealed interface ConnectResult extends AuthStep
        permits ConnectResult.Accepted, ConnectResult.Refused, ConnectResult.Undecided {
    /** The one value of {@link Undecided}. */
    ConnectResult UNDECIDED = new Undecided();

    /**
     * The client is accepted. Events and later checks use the tenant and the user name given here. A re-authentication
     * must yield the tenant and the user name of the connection, else it counts as refused.
     *
     * @param tenant whose name space it uses
     * @param namesTenant whether the provider knows the tenant from another source than the request. If not, and
     *     the answer has the tenant of the request but another user name, the broker determines the tenant again from
     *     that user name: the tenant of the request may come from a user name that nobody has proven
     * @param userName null for a client without one
     * @param data Authentication Data of the CONNACK or the last AUTH, left out when empty; unused without an
     *     authentication method
     * @param grant passed to the provider with each check of this connection, such as the rights in a token; null
     *     for nothing. Immutable; kept in memory while the connection lasts, or until a re-authentication replaces it
     * @param validFor how long the client may stay connected from now on; null for no limit. Then the broker ends
     *     the connection (MQTT 5.0: "maximum connect time", 0xA0), at most two seconds late. A re-authentication sets a
     *     new time. Not negative; zero ends it at once
     */
    @SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
    record Accepted(
            TenantId tenant,
            boolean namesTenant,
            @Nullable String userName,
            byte[] data,
            @Nullable Object grant,
            @Nullable Duration validFor)
            implements ConnectResult {
        private static final byte[] NO_DATA = {};

        public Accepted {
            if (validFor != null && validFor.isNegative()) {
                throw new IllegalArgumentException("validFor must not be negative, was " + validFor);
            }
        }

        /** In the tenant of the request, or in one that the provider names. */
        public Accepted(
                TenantId tenant,
                @Nullable String userName,
                byte[] data,
                @Nullable Object grant,
                @Nullable Duration validFor) {
            this(tenant, false, userName, data, grant, validFor);
        }

        /** Without a grant and without a time limit. */
        public Accepted(TenantId tenant, @Nullable String userName, byte[] data) {
            this(tenant, userName, data, null, null);
        }

        public Accepted(TenantId tenant, @Nullable String userName) {
            this(tenant, userName, NO_DATA);
        }

        /** With the tenant and user name of {@code client}. */
        public static Accepted as(ClientInfo client) {
            return new Accepted(client.tenant(), client.userName());
        }

        /** The same in a tenant that the provider names, whatever the user name. */
        public Accepted in(TenantId named) {
            return new Accepted(named, true, userName, data, grant, validFor);
        }

        /** The same with a grant. */
        public Accepted granting(@Nullable Object given) {
            return new Accepted(tenant, namesTenant, userName, data, given, validFor);
        }

        /** The same with this time limit; null for none. */
        public Accepted lasting(@Nullable Duration time) {
            return new Accepted(tenant, namesTenant, userName, data, grant, time);
        }

        /** Leaves out data and grant. */
        @Override
        public String toString() {
            return "Accepted[tenant=" + tenant + ", userName=" + userName + ", validFor=" + validFor + "]";
        }
    }

    /**
     * The client is refused.
     *
     * @param detail for events and logs; the client does not see it
     */
    record Refused(RefusalReason reason, String detail) implements ConnectResult {}

    /**
     * This provider does not know the client. The broker asks the next provider of {@code authConfig.providers}, and
     * refuses a client that no provider knows. A provider must not answer this for a client that it knows but whose
     * proof is wrong.
     */
    record Undecided() implements ConnectResult {}
}
