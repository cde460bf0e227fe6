package io.godwit.inbox.format.query;

import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.inbox.client.catalog.SessionCatalog.Criteria;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.inbox.format.ByteReader;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks a range for the sessions from a key on. Strings and varints as elsewhere in the store.
 *
 * <pre>
 * query                                        answer
 * 1       version, 1                           1       version, 1
 * block   first key                            1       1 when there is more in the range, else 0
 * 1+n     end of the keys, optional            block   key to continue at         (when there is more)
 * varint  most sessions of the answer          varint  number of sessions, each then:
 * varint  now, milliseconds                    string  tenant
 * 1       flags: 1 tenant, 2 prefix,           string  client id; optional string user name
 *         4 detached ones only,                string  remote address; 1 protocol level
 *         8 the broker's own                   1       flags: 1 attached, 2 will, 4 kept for its will
 * string  tenant              (flag 1)         varint  expiry seconds, detached at, ends at, subscriptions,
 * string  text of the client id                        messages, payload bytes, in flight
 * varint  least messages                       string  topic of the will            (flag 4)
 *                                              varint  its QoS, payload bytes, due at (flag 4)
 * </pre>
 *
 * @param from the first key, inclusive
 * @param end exclusive; null for the end of the range
 * @param maxSessions at least 1
 * @param nowMillis wall clock; sessions that have ended by then are left out
 */
@SuppressWarnings("ArrayRecordComponent")
public record SessionQuery(byte[] from, byte @Nullable [] end, int maxSessions, long nowMillis, Criteria criteria) {
    private static final int VERSION = 1;
    private static final int TENANT = 1;
    private static final int PREFIX = 2;
    private static final int DETACHED = 4;
    private static final int OWN = 8;
    private static final int ATTACHED = 1;
    private static final int WILL = 2;
    private static final int KEPT = 4;

    public SessionQuery {
        if (maxSessions < 1) {
            throw new IllegalArgumentException("at least one session must be asked for, was " + maxSessions);
        }
    }

    public byte[] encode() {
        ByteWriter out = new ByteWriter(64 + from.length);
        out.u8(VERSION);
        out.block(from);
        out.u8(end == null ? 0 : 1);
        if (end != null) {
            out.block(end);
        }
        out.varint(maxSessions);
        out.varint(nowMillis);
        TenantId tenant = criteria.tenant();
        out.u8((tenant == null ? 0 : TENANT)
                | (criteria.clientId().isPrefix() ? PREFIX : 0)
                | (criteria.onlyDetached() ? DETACHED : 0)
                | (criteria.areKept() ? OWN : 0));
        if (tenant != null) {
            out.string(tenant.value());
        }
        out.string(criteria.clientId().text());
        out.varint(criteria.leastMessages());
        return out.toBytes();
    }

    /** Fails with {@link IllegalArgumentException} when {@code query} is not of this layout. */
    public static SessionQuery decode(byte[] query) {
        ByteReader in = new ByteReader(query);
        in.version(VERSION, "session query");
        byte[] from = in.block();
        byte[] end = in.u8() == 0 ? null : in.block();
        int maxSessions = in.length();
        long nowMillis = in.varint();
        int flags = in.u8();
        TenantId tenant = (flags & TENANT) == 0 ? null : new TenantId(in.string());
        String idText = in.string();
        Criteria criteria = new Criteria(
                tenant,
                new IdPattern(idText, (flags & PREFIX) != 0),
                (flags & DETACHED) != 0,
                in.length(),
                (flags & OWN) != 0);
        return new SessionQuery(from, end, maxSessions, nowMillis, criteria);
    }

    /** Whether the query asks for this client id. */
    public boolean matches(TenantId tenant, ClientId clientId) {
        return (criteria.tenant() == null || criteria.tenant().equals(tenant))
                && criteria.clientId().matches(clientId.value());
    }

    /**
     * The answer of the range.
     *
     * @param next key to continue at in the range; null at its end
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Answer(List<StoredSessionInfo> sessions, byte @Nullable [] next) {
        public byte[] encode() {
            ByteWriter out = new ByteWriter(64 + 96 * sessions.size());
            out.u8(VERSION);
            out.u8(next == null ? 0 : 1);
            if (next != null) {
                out.block(next);
            }
            out.varint(sessions.size());
            for (StoredSessionInfo session : sessions) {
                write(out, session);
            }
            return out.toBytes();
        }

        /** Fails with {@link IllegalArgumentException} when {@code answer} is not of this layout. */
        public static Answer decode(byte[] answer) {
            ByteReader in = new ByteReader(answer);
            in.version(VERSION, "session answer");
            byte[] next = in.u8() == 0 ? null : in.block();
            int count = in.length();
            List<StoredSessionInfo> sessions = new ArrayList<>(Math.min(count, answer.length / 16));
            for (int i = 0; i < count; i++) {
                sessions.add(read(in));
            }
            return new Answer(sessions, next);
        }

        private static void write(ByteWriter out, StoredSessionInfo session) {
            ClientInfo client = session.client();
            out.string(client.tenant().value());
            out.string(client.clientId().value());
            out.optionalString(client.userName());
            out.string(client.remoteAddress());
            out.u8(client.protocolLevel());
            StoredSessionInfo.KeptWill kept = session.kept();
            out.u8((session.isAttached() ? ATTACHED : 0) | (session.hasWill() ? WILL : 0) | (kept == null ? 0 : KEPT));
            out.varint(session.expirySeconds());
            out.varint(session.detachedAtMillis());
            out.varint(session.endsAtMillis());
            out.varint(session.subscriptions());
            out.varint(session.messages());
            out.varint(session.payloadBytes());
            out.varint(session.inflight());
            if (kept != null) {
                out.string(kept.topic());
                out.varint(kept.qos());
                out.varint(kept.payloadBytes());
                out.varint(kept.dueAtMillis());
            }
        }

        private static StoredSessionInfo read(ByteReader in) {
            TenantId tenant = new TenantId(in.string());
            ClientId clientId = new ClientId(in.string());
            String userName = in.optionalString();
            String remoteAddress = in.string();
            ClientInfo client = new ClientInfo(tenant, clientId, userName, remoteAddress, in.u8());
            int flags = in.u8();
            return new StoredSessionInfo(
                    client,
                    (flags & ATTACHED) != 0,
                    in.varint(),
                    in.varint(),
                    in.varint(),
                    (flags & WILL) != 0,
                    in.length(),
                    in.length(),
                    in.varint(),
                    in.length(),
                    (flags & KEPT) == 0 ? null : kept(in));
        }

        private static StoredSessionInfo.KeptWill kept(ByteReader in) {
            return new StoredSessionInfo.KeptWill(in.string(), in.length(), in.varint(), in.varint());
        }
    }
}
