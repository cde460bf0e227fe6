package io.godwit.kv.protocol.legacy;

import com.google.protobuf.ByteString;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.wire.Call;
import io.godwit.kv.wire.CallAnswer;
import io.godwit.kv.wire.CallEnd;
import io.godwit.kv.wire.CallHello;
import io.godwit.kv.wire.CallKind;
import io.godwit.kv.wire.CallRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The messages of a stream of calls, {@code godwit.Ranges/calls}.
 *
 * <pre>
 * request  byte kind
 *   1 hello      byte version = 1 | utf cluster id | utf store | utf caller | long incarnation | long stream
 *   2 mutate     long number | long range id | long term | long fence | long millis left | bytes key | bytes mutation
 *   3 relieve    as 2
 *   4 query      as 2
 *   5 interval   as 2, then boolean hasEnd [bytes end]
 * reply    long number | byte status | bytes value, or the detail in UTF-8
 *   0 done, 1 timeout, 2 overloaded, 3 disk full, 4 store failed, 5 moved: nothing was done, 6 too large
 * </pre>
 */
public final class LegacyCalls {
    private static final int HELLO = 1;
    /** The number of a kind here is one more than in protobuf, that of an outcome one less. */
    private static final int SHIFT = 1;

    private static final int CALL_BYTES = 80;
    private static final int ANSWER_BYTES = 16;

    public static final WireCodec<CallRequest> REQUESTS = new Requests();
    public static final WireCodec<CallAnswer> ANSWERS = new Answers();

    private LegacyCalls() {}

    private static final class Requests implements WireCodec<CallRequest> {
        @Override
        public byte[] encode(CallRequest request) {
            return request.hasHello() ? hello(request.getHello()) : call(request.getCall());
        }

        private static byte[] hello(CallHello hello) {
            return LegacyBytes.write(256, out -> {
                out.writeByte(HELLO);
                out.writeByte(LegacyBytes.VERSION);
                out.writeUTF(hello.getClusterId());
                out.writeUTF(hello.getStore());
                out.writeUTF(hello.getCaller());
                out.writeLong(hello.getIncarnation());
                out.writeLong(hello.getStream());
            });
        }

        private static byte[] call(Call call) {
            int size = CALL_BYTES + 2 * call.getKey().size() + call.getPayload().size();
            return LegacyBytes.write(size, out -> {
                out.writeByte(call.getKindValue() + SHIFT);
                out.writeLong(call.getNumber());
                out.writeLong(call.getRangeId());
                out.writeLong(call.getTerm());
                out.writeLong(call.getFence());
                out.writeLong(call.getMillisLeft());
                LegacyBytes.bytes(out, call.getKey());
                LegacyBytes.bytes(out, call.getPayload());
                if (call.getKind() == CallKind.CALL_KIND_QUERY_INTERVAL) {
                    LegacyBytes.optional(out, call.hasEnd(), call.getEnd());
                }
            });
        }

        @Override
        public CallRequest decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                int kind = in.readByte();
                return kind == HELLO
                        ? CallRequest.newBuilder().setHello(hello(in)).build()
                        : CallRequest.newBuilder().setCall(call(kind, in)).build();
            });
        }

        private static CallHello hello(DataInputStream in) throws IOException {
            LegacyBytes.version(in, "calls");
            return CallHello.newBuilder()
                    .setVersion(LegacyBytes.VERSION)
                    .setClusterId(in.readUTF())
                    .setStore(in.readUTF())
                    .setCaller(in.readUTF())
                    .setIncarnation(in.readLong())
                    .setStream(in.readLong())
                    .build();
        }

        private static Call call(int kind, DataInputStream in) throws IOException {
            CallKind known = CallKind.forNumber(kind - SHIFT);
            if (known == null || known == CallKind.CALL_KIND_UNSPECIFIED) {
                throw new IOException("call of kind " + kind);
            }
            Call.Builder call = Call.newBuilder()
                    .setKind(known)
                    .setNumber(in.readLong())
                    .setRangeId(in.readLong())
                    .setTerm(in.readLong())
                    .setFence(in.readLong())
                    .setMillisLeft(in.readLong())
                    .setKey(LegacyBytes.bytes(in))
                    .setPayload(LegacyBytes.bytes(in));
            if (known == CallKind.CALL_KIND_QUERY_INTERVAL && in.readBoolean()) {
                call.setEnd(LegacyBytes.bytes(in));
            }
            return call.build();
        }
    }

    private static final class Answers implements WireCodec<CallAnswer> {
        @Override
        public byte[] encode(CallAnswer answer) {
            boolean isDone = answer.getOutcome() == CallEnd.CALL_END_DONE;
            ByteString content = isDone ? answer.getValue() : answer.getDetailBytes();
            return LegacyBytes.write(ANSWER_BYTES + content.size(), out -> {
                out.writeLong(answer.getNumber());
                out.writeByte(answer.getOutcomeValue() - SHIFT);
                LegacyBytes.bytes(out, content);
            });
        }

        @Override
        public CallAnswer decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                CallAnswer.Builder answer = CallAnswer.newBuilder().setNumber(in.readLong());
                int status = in.readUnsignedByte();
                CallEnd outcome = CallEnd.forNumber(status + SHIFT);
                if (outcome == null) {
                    throw new IOException("reply of status " + status);
                }
                ByteString content = LegacyBytes.bytes(in);
                answer.setOutcome(outcome);
                return outcome == CallEnd.CALL_END_DONE
                        ? answer.setValue(content).build()
                        : answer.setDetail(content.toString(StandardCharsets.UTF_8))
                                .build();
            });
        }
    }
}
