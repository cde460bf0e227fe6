package io.godwit.inbox.format;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A run of queued messages of one inbox: created by the state machine from a mutation, and read back for a client that
 * returns. The parameter is the number of its messages, of 32 bytes each; times are for the whole run.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class QueueRunBenchmark {
    private static final InboxId ID = new InboxId(TenantId.DEFAULT, new ClientId("device-4711"));
    private static final long FIRST = 1_000;

    @Param({"1", "16", "256"})
    public int messages;

    private final Sink sink = new Sink();
    private byte[] mutation = {};
    private byte[] run = {};

    @Setup
    public void setUp() {
        Message message = new Message(
                "plant/7/line/12/sensor/4711",
                new byte[32],
                Qos.AT_LEAST_ONCE,
                false,
                1_700_000_000_000L,
                MessageProperties.NONE);
        ByteWriter out = new ByteWriter(1024);
        out.u8(MutationCodec.VERSION);
        out.varint(1);
        out.block(InboxKeys.prefix(ID.tenant(), ID.clientId()));
        for (int i = 0; i < messages; i++) {
            out.u8(MutationCodec.INSERT);
            out.u8(0);
            out.message(message);
            out.varint(1);
            out.varint(0);
            out.varint(FIRST + i);
            out.u8(RunCodec.flags(Qos.AT_LEAST_ONCE, false, QueuedCopy.NO_IDS, false));
        }
        mutation = out.toBytes();
        run = encode();
    }

    @Benchmark
    public byte[] encode() {
        MutationCodec.apply(sink, mutation);
        return sink.last;
    }

    @Benchmark
    public void decode(Blackhole hole) {
        RunCodec.Reader reader = new RunCodec.Reader(FIRST, run);
        int count = 0;
        while (reader.next()) {
            hole.consume(reader.message());
            count++;
        }
        if (count != messages) {
            throw new IllegalStateException("a run of " + messages + " had " + count);
        }
    }

    /** Keeps the last value. */
    private static final class Sink implements RangeWrites {
        private byte[] last = {};

        @Override
        public void put(byte[] key, byte[] value) {
            last = value;
        }

        @Override
        public void delete(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            throw new UnsupportedOperationException();
        }
    }
}
