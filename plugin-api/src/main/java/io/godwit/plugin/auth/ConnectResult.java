package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/** The end of an authentication, by password or by an {@link AuthExchange}. */
public sealed interface ConnectResult extends AuthStep permits ConnectResult.Accepted, ConnectResult.Refused {

    /**
     * The client is who it says. Events and later checks name it by what stands here; a re-authentication must come to
     * the tenant and the user name of the connection, or it counts as refused.
     *
     * @param tenant whose name space it uses
     * @param userName null for a client without one
     * @param data Authentication Data of the CONNACK or the last AUTH, left out when empty; of no use without an
     *     authentication method
     */
    @SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
    record Accepted(TenantId tenant, @Nullable String userName, byte[] data) implements ConnectResult {
        private static final byte[] NO_DATA = {};

        public Accepted(TenantId tenant, @Nullable String userName) {
            this(tenant, userName, NO_DATA);
        }

        /** As the client it says it is. */
        public static Accepted as(ClientInfo client) {
            return new Accepted(client.tenant(), client.userName());
        }

        /** Names no data. */
        @Override
        public String toString() {
            return "Accepted[tenant=" + tenant + ", userName=" + userName + "]";
        }
    }

    /**
     * It is not let in.
     *
     * @param detail for events and logs, not told to the client
     */
    record Refused(RefusalReason reason, String detail) implements ConnectResult {}
}
