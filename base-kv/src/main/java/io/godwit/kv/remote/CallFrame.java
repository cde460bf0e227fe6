package io.godwit.kv.remote;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.RouteToken;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream of calls between two nodes.
 *
 * <pre>
 * request  byte kind
 *   1 hello      byte version = 1 | utf cluster id | utf store | utf caller | long incarnation
 *                | long stream    first, and only once
 *   2 mutate     long number | long range id | long term | long fence | long millis left | bytes key | bytes mutation
 *   3 relieve    as 2
 *   4 query      as 2
 *   5 interval   as 2, then boolean hasEnd [bytes end]
 * reply    long number | byte status | bytes value, or the detail in UTF-8
 *   0 done, 1 timeout, 2 overloaded, 3 disk full, 4 store failed, 5 moved: nothing was done, 6 too large
 *
 * bytes    int length, then the bytes
 * </pre>
 */
final class CallFrame {
    static final int VERSION = 1;
    static final byte HELLO = 1;
    static final byte MUTATE = 2;
    static final byte RELIEVE = 3;
    static final byte QUERY = 4;
    static final byte QUERY_INTERVAL = 5;

    private CallFrame() {}

    record Hello(String clusterId, String store, String caller, long incarnation, long stream) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Request(
            byte kind,
            long number,
            RouteToken token,
            long millisLeft,
            byte[] key,
            byte[] payload,
            byte @Nullable [] end) {}

    record Reply(long number, CallReply reply) {}

    private interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(int size, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(size);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            content.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] encode(Hello hello) {
        return bytes(256, out -> {
            out.writeByte(HELLO);
            out.writeByte(VERSION);
            out.writeUTF(hello.clusterId());
            out.writeUTF(hello.store());
            out.writeUTF(hello.caller());
            out.writeLong(hello.incarnation());
            out.writeLong(hello.stream());
        });
    }

    static byte[] encode(Request request) {
        return bytes(80 + 2 * request.key().length + request.payload().length, out -> {
            out.writeByte(request.kind());
            out.writeLong(request.number());
            out.writeLong(request.token().rangeId());
            out.writeLong(request.token().term());
            out.writeLong(request.token().fence());
            out.writeLong(request.millisLeft());
            write(out, request.key());
            write(out, request.payload());
            if (request.kind() == QUERY_INTERVAL) {
                byte[] end = request.end();
                out.writeBoolean(end != null);
                if (end != null) {
                    write(out, end);
                }
            }
        });
    }

    static byte[] encode(Reply reply) {
        RangeException failure = reply.reply().failure();
        byte[] value = reply.reply().value();
        byte[] content = value != null
                ? value
                : String.valueOf(failure == null ? "" : failure.getMessage()).getBytes(StandardCharsets.UTF_8);
        return bytes(16 + content.length, out -> {
            out.writeLong(reply.number());
            out.writeByte(failure == null ? 0 : codeOf(failure.reason()));
            write(out, content);
        });
    }

    /** A closing node reports MOVED, because nothing was done and another node may do it. */
    private static int codeOf(Cause cause) {
        return switch (cause) {
            case TIMEOUT, LOST -> 1;
            case OVERLOADED -> 2;
            case DISK_FULL -> 3;
            case STORE_FAILED -> 4;
            case MOVED, CLOSED -> 5;
            case TOO_LARGE -> 6;
        };
    }

    private static Cause causeOf(int code) throws IOException {
        return switch (code) {
            case 1 -> Cause.TIMEOUT;
            case 2 -> Cause.OVERLOADED;
            case 3 -> Cause.DISK_FULL;
            case 4 -> Cause.STORE_FAILED;
            case 5 -> Cause.MOVED;
            case 6 -> Cause.TOO_LARGE;
            default -> throw new IOException("reply of status " + code);
        };
    }

    static byte numberOf(RangeCall.Kind kind) {
        return switch (kind) {
            case MUTATE -> MUTATE;
            case RELIEVE -> RELIEVE;
            case QUERY -> QUERY;
            case QUERY_INTERVAL -> QUERY_INTERVAL;
        };
    }

    static RangeCall.Kind kindOf(byte number) throws IOException {
        return switch (number) {
            case MUTATE -> RangeCall.Kind.MUTATE;
            case RELIEVE -> RangeCall.Kind.RELIEVE;
            case QUERY -> RangeCall.Kind.QUERY;
            case QUERY_INTERVAL -> RangeCall.Kind.QUERY_INTERVAL;
            default -> throw new IOException("call of kind " + number);
        };
    }

    static boolean isHello(byte[] frame) {
        return frame.length > 0 && frame[0] == HELLO;
    }

    static Hello hello(byte[] frame) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
            in.readByte();
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("calls of version " + version + ", expected " + VERSION);
            }
            return new Hello(in.readUTF(), in.readUTF(), in.readUTF(), in.readLong(), in.readLong());
        }
    }

    static Request request(byte[] frame) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
            byte kind = in.readByte();
            if (kind < MUTATE || kind > QUERY_INTERVAL) {
                throw new IOException("call of kind " + kind);
            }
            long number = in.readLong();
            RouteToken token = new RouteToken(in.readLong(), in.readLong(), in.readLong());
            return new Request(
                    kind,
                    number,
                    token,
                    in.readLong(),
                    read(in),
                    read(in),
                    kind == QUERY_INTERVAL && in.readBoolean() ? read(in) : null);
        }
    }

    static Reply reply(byte[] frame) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
            long number = in.readLong();
            int code = in.readUnsignedByte();
            byte[] content = read(in);
            return new Reply(
                    number,
                    code == 0
                            ? CallReply.done(content)
                            : CallReply.failed(
                                    new RangeException(causeOf(code), new String(content, StandardCharsets.UTF_8))));
        }
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException(length + " bytes announced, " + in.available() + " left");
        }
        return in.readNBytes(length);
    }
}
