package io.godwit.inbox.format;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of a SESSION key: the session if there is one, and the unfinished cleanup of earlier sessions of the client
 * id.
 *
 * <pre>
 * 1        version, 1
 * 1        flags: 1 session, 2 attached, 4 will, 8 inbound open, 16 attach number, 32 attempt, 64 begun by the attempt
 *   varint incarnation, first sequence, expiry seconds, detached at (millis); client  (flag 1)
 *   varint attach number                                                            (flag 16)
 *   varint attempt                                                                  (flag 32)
 *   will                                                                            (flag 4)
 * varint   number of owed wills, each a will
 * varint   number of ended sessions, each: varint incarnation, varint number of filters, each a string; {@link Remains}
 *
 * client:  optional string user name, string remote address, 1 protocol level
 * will:    varint incarnation, number, delay seconds; client; message as a block
 * </pre>
 */
public record SessionRecord(@Nullable StoredSession session, List<StoredWill> owed, List<EndedSession> ended) {
    private static final int VERSION = 1;
    private static final int SESSION = 1;
    private static final int ATTACHED = 2;
    private static final int WILL = 4;
    private static final int INBOUND_OPEN = 8;
    private static final int ATTACH_NUMBER = 16;
    private static final int ATTEMPT = 32;
    private static final int BEGUN_BY_ATTEMPT = 64;

    public byte[] encode() {
        ByteWriter out = new ByteWriter(96);
        out.u8(VERSION);
        StoredSession s = session;
        if (s == null) {
            out.u8(0);
        } else {
            StoredWill will = s.will();
            out.u8(SESSION
                    | (s.isAttached() ? ATTACHED : 0)
                    | (will != null ? WILL : 0)
                    | (s.isInboundOpen() ? INBOUND_OPEN : 0)
                    | (s.attachNumber() > 0 ? ATTACH_NUMBER : 0)
                    | (s.attempt() > 0 ? ATTEMPT : 0)
                    | (s.isOfAttempt() ? BEGUN_BY_ATTEMPT : 0));
            out.varint(s.incarnation);
            out.varint(s.first);
            out.varint(s.expirySeconds());
            out.varint(s.detachedAtMillis());
            writeClient(out, s.client());
            if (s.attachNumber() > 0) {
                out.varint(s.attachNumber());
            }
            if (s.attempt() > 0) {
                out.varint(s.attempt());
            }
            if (will != null) {
                writeWill(out, will);
            }
        }
        out.varint(owed.size());
        owed.forEach(will -> writeWill(out, will));
        out.varint(ended.size());
        for (EndedSession over : ended) {
            out.varint(over.incarnation());
            out.varint(over.filters().size());
            over.filters().forEach(filter -> out.string(filter.text()));
            Remains.write(out, over.remains());
        }
        return out.toBytes();
    }

    public static SessionRecord decode(InboxId id, byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "session record");
        int flags = in.u8();
        StoredSession session = null;
        if ((flags & SESSION) != 0) {
            long incarnation = in.varint();
            long first = in.varint();
            long expirySeconds = in.varint();
            long detachedAtMillis = in.varint();
            session = new StoredSession(incarnation, first, readClient(in, id), expirySeconds);
            long attachNumber = (flags & ATTACH_NUMBER) != 0 ? in.varint() : 0;
            long attempt = (flags & ATTEMPT) != 0 ? in.varint() : 0;
            session.restore(
                    (flags & ATTACHED) != 0,
                    detachedAtMillis,
                    (flags & INBOUND_OPEN) != 0,
                    attachNumber,
                    attempt,
                    (flags & BEGUN_BY_ATTEMPT) != 0);
            session.setWill((flags & WILL) != 0 ? readWill(in, id) : null);
        }
        List<StoredWill> owed = new ArrayList<>();
        for (int left = in.length(); left > 0; left--) {
            owed.add(readWill(in, id));
        }
        List<EndedSession> ended = new ArrayList<>();
        for (int left = in.length(); left > 0; left--) {
            long incarnation = in.varint();
            List<TopicFilter> filters = new ArrayList<>();
            for (int more = in.length(); more > 0; more--) {
                filters.add(FilterTable.parse(in.string()));
            }
            ended.add(new EndedSession(incarnation, filters, Remains.read(in)));
        }
        return new SessionRecord(session, owed, ended);
    }

    private static void writeClient(ByteWriter out, ClientInfo client) {
        out.optionalString(client.userName());
        out.string(client.remoteAddress());
        out.u8(client.protocolLevel());
    }

    private static ClientInfo readClient(ByteReader in, InboxId id) {
        String userName = in.optionalString();
        String remoteAddress = in.string();
        return new ClientInfo(id.tenant(), id.clientId(), userName, remoteAddress, in.u8());
    }

    private static void writeWill(ByteWriter out, StoredWill will) {
        out.varint(will.incarnation());
        out.varint(will.number());
        out.varint(will.delaySeconds());
        writeClient(out, will.publisher());
        out.message(will.message());
    }

    private static StoredWill readWill(ByteReader in, InboxId id) {
        long incarnation = in.varint();
        long number = in.varint();
        long delaySeconds = in.varint();
        ClientInfo publisher = readClient(in, id);
        return new StoredWill(incarnation, number, publisher, in.message(), delaySeconds);
    }
}
