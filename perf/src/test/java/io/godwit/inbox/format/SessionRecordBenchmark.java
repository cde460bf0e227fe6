package io.godwit.inbox.format;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Encoding a session's record as attach and detach do, and decoding it as a start does; without a will and with one of
 * 32 bytes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SessionRecordBenchmark {
    private static final InboxId ID = new InboxId(TenantId.DEFAULT, new ClientId("device-4711"));
    private static final ClientInfo CLIENT = new ClientInfo(ID.tenant(), ID.clientId(), null, "10.1.2.3:45678", 5);

    @Param({"false", "true"})
    public boolean will;

    private SessionRecord record = new SessionRecord(null, List.of(), List.of());
    private byte[] bytes = {};

    @Setup
    public void setUp() {
        StoredSession session = new StoredSession(77, 3_000_000, CLIENT, 3_600);
        session.detach(1_700_000_000_000L, false);
        if (will) {
            Message last = new Message(
                    "plant/7/gone", new byte[32], Qos.AT_LEAST_ONCE, false, 1_700_000_000_000L, MessageProperties.NONE);
            session.setWill(new StoredWill(77, 1, CLIENT, last, 0));
        }
        record = new SessionRecord(session, List.of(), List.of());
        bytes = record.encode();
    }

    @Benchmark
    public byte[] encode() {
        return record.encode();
    }

    @Benchmark
    public Object decode() {
        return SessionRecord.decode(ID, bytes);
    }
}
