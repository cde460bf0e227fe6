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
     * The client is who it says. Events and later checks name it by what stands here; a re-authentication must come to
     * the tenant and the user name of the connection, or it counts as refused.
     *
     * @param tenant whose name space it uses
     * @param namesTenant whether the provider knows the tenant from elsewhere than the question. If not, and the answer
     *     has the tenant of the question but another user name, the broker finds the tenant anew by that user name: the
     *     one of the question may be due to a user name that nobody has proven
     * @param userName null for a client without one
     * @param data Authentication Data of the CONNACK or the last AUTH, left out when empty; of no use without an
     *     authentication method
     * @param grant what the provider wants to be handed with each check of this connection, such as the rights that
     *     stand in a token; null for nothing. Immutable; kept in memory while the connection lasts, or until a
     *     re-authentication brings another one
     * @param validFor how long the client may stay connected from now on; null for no limit. Then the connection is
     *     ended (MQTT 5.0: "maximum connect time", 0xA0), at most two seconds late. A re-authentication brings another
     *     time. Not negative; zero ends it at once
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

        /** Of the tenant of the question, or of one that the provider names. */
        public Accepted(
                TenantId tenant,
                @Nullable String userName,
                byte[] data,
                @Nullable Object grant,
                @Nullable Duration validFor) {
            this(tenant, false, userName, data, grant, validFor);
        }

        /** Without a grant, and for as long as it likes. */
        public Accepted(TenantId tenant, @Nullable String userName, byte[] data) {
            this(tenant, userName, data, null, null);
        }

        public Accepted(TenantId tenant, @Nullable String userName) {
            this(tenant, userName, NO_DATA);
        }

        /** As the client it says it is. */
        public static Accepted as(ClientInfo client) {
            return new Accepted(client.tenant(), client.userName());
        }

        /** The same in the tenant that the provider names, whatever the user name says. */
        public Accepted in(TenantId named) {
            return new Accepted(named, true, userName, data, grant, validFor);
        }

        /** The same with a grant. */
        public Accepted granting(@Nullable Object given) {
            return new Accepted(tenant, namesTenant, userName, data, given, validFor);
        }

        /** The same for so long. */
        public Accepted lasting(@Nullable Duration time) {
            return new Accepted(tenant, namesTenant, userName, data, grant, time);
        }

        /** Names neither data nor grant. */
        @Override
        public String toString() {
            return "Accepted[tenant=" + tenant + ", userName=" + userName + ", validFor=" + validFor + "]";
        }
    }

    /**
     * It is not let in.
     *
     * @param detail for events and logs, not told to the client
     */
    record Refused(RefusalReason reason, String detail) implements ConnectResult {}

    /**
     * This provider knows nothing of the client: the next one of {@code authConfig.providers} is asked. A client that
     * nobody knows is refused. A provider never says so of a client that it knows and does not believe.
     */
    record Undecided() implements ConnectResult {}
}
