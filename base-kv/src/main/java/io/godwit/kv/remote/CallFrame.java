package io.godwit.kv.remote;

import com.google.protobuf.ByteString;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.wire.Call;
import io.godwit.kv.wire.CallAnswer;
import io.godwit.kv.wire.CallEnd;
import io.godwit.kv.wire.CallHello;
import io.godwit.kv.wire.CallKind;
import io.godwit.kv.wire.CallRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream of calls between two nodes, as values. A message refers to the arrays of the value that it
 * was made from, and a value has its own copies.
 */
final class CallFrame {
    private CallFrame() {}

    /** First of a stream. */
    record Hello(int version, String clusterId, String store, String caller, long incarnation, long stream) {}

    /**
     * @param number of the request in its stream, for its answer
     * @param end end of an interval, exclusive; null means no end
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Request(
            RangeCall.Kind kind,
            long number,
            RouteToken token,
            long millisLeft,
            byte[] key,
            byte[] payload,
            byte @Nullable [] end) {

        Request numbered(long inStream) {
            return new Request(kind, inStream, token, millisLeft, key, payload, end);
        }
    }

    record Reply(long number, CallReply reply) {}

    static CallRequest message(Hello hello) {
        return CallRequest.newBuilder()
                .setHello(CallHello.newBuilder()
                        .setVersion(hello.version())
                        .setClusterId(hello.clusterId())
                        .setStore(hello.store())
                        .setCaller(hello.caller())
                        .setIncarnation(hello.incarnation())
                        .setStream(hello.stream()))
                .build();
    }

    static CallRequest message(Request request) {
        Call.Builder call = Call.newBuilder()
                .setKind(kindOf(request.kind()))
                .setNumber(request.number())
                .setRangeId(request.token().rangeId())
                .setTerm(request.token().term())
                .setFence(request.token().fence())
                .setMillisLeft(request.millisLeft())
                .setKey(WireBytes.wrap(request.key()))
                .setPayload(WireBytes.wrap(request.payload()));
        byte[] end = request.end();
        if (end != null) {
            call.setEnd(WireBytes.wrap(end));
        }
        return CallRequest.newBuilder().setCall(call).build();
    }

    static CallAnswer message(Reply reply) {
        CallAnswer.Builder answer = CallAnswer.newBuilder().setNumber(reply.number());
        RangeException failure = reply.reply().failure();
        byte[] value = reply.reply().value();
        return failure == null
                ? answer.setOutcome(CallEnd.CALL_END_DONE)
                        .setValue(value == null ? ByteString.EMPTY : WireBytes.wrap(value))
                        .build()
                : answer.setOutcome(endOf(failure.reason()))
                        .setDetail(String.valueOf(failure.getMessage()))
                        .build();
    }

    /** A closing node reports MOVED, because nothing was done and another node may do it. */
    private static CallEnd endOf(Cause cause) {
        return switch (cause) {
            case TIMEOUT, LOST -> CallEnd.CALL_END_TIMEOUT;
            case OVERLOADED -> CallEnd.CALL_END_OVERLOADED;
            case DISK_FULL -> CallEnd.CALL_END_DISK_FULL;
            case STORE_FAILED -> CallEnd.CALL_END_STORE_FAILED;
            case MOVED, CLOSED -> CallEnd.CALL_END_MOVED;
            case TOO_LARGE -> CallEnd.CALL_END_TOO_LARGE;
        };
    }

    private static CallKind kindOf(RangeCall.Kind kind) {
        return switch (kind) {
            case MUTATE -> CallKind.CALL_KIND_MUTATE;
            case RELIEVE -> CallKind.CALL_KIND_RELIEVE;
            case QUERY -> CallKind.CALL_KIND_QUERY;
            case QUERY_INTERVAL -> CallKind.CALL_KIND_QUERY_INTERVAL;
        };
    }

    private static RangeCall.Kind kindOf(Call call) throws IOException {
        return switch (call.getKind()) {
            case CALL_KIND_MUTATE -> RangeCall.Kind.MUTATE;
            case CALL_KIND_RELIEVE -> RangeCall.Kind.RELIEVE;
            case CALL_KIND_QUERY -> RangeCall.Kind.QUERY;
            case CALL_KIND_QUERY_INTERVAL -> RangeCall.Kind.QUERY_INTERVAL;
            case CALL_KIND_UNSPECIFIED, UNRECOGNIZED -> throw new IOException("call of kind " + call.getKindValue());
        };
    }

    static Hello hello(CallHello in) {
        return new Hello(
                in.getVersion(), in.getClusterId(), in.getStore(), in.getCaller(), in.getIncarnation(), in.getStream());
    }

    /** @throws IOException if the kind of the call is unknown */
    static Request request(Call in) throws IOException {
        RangeCall.Kind kind = kindOf(in);
        boolean hasEnd = kind == RangeCall.Kind.QUERY_INTERVAL && in.hasEnd();
        return new Request(
                kind,
                in.getNumber(),
                new RouteToken(in.getRangeId(), in.getTerm(), in.getFence()),
                in.getMillisLeft(),
                in.getKey().toByteArray(),
                in.getPayload().toByteArray(),
                hasEnd ? in.getEnd().toByteArray() : null);
    }

    /** @throws IOException if the outcome is unknown */
    static Reply reply(CallAnswer in) throws IOException {
        CallReply reply = switch (in.getOutcome()) {
            case CALL_END_DONE -> CallReply.done(in.getValue().toByteArray());
            case CALL_END_TIMEOUT -> failed(Cause.TIMEOUT, in);
            case CALL_END_OVERLOADED -> failed(Cause.OVERLOADED, in);
            case CALL_END_DISK_FULL -> failed(Cause.DISK_FULL, in);
            case CALL_END_STORE_FAILED -> failed(Cause.STORE_FAILED, in);
            case CALL_END_MOVED -> failed(Cause.MOVED, in);
            case CALL_END_TOO_LARGE -> failed(Cause.TOO_LARGE, in);
            case CALL_END_UNSPECIFIED, UNRECOGNIZED ->
                throw new IOException("reply of outcome " + in.getOutcomeValue());
        };
        return new Reply(in.getNumber(), reply);
    }

    private static CallReply failed(Cause cause, CallAnswer in) {
        return CallReply.failed(new RangeException(cause, in.getDetail()));
    }
}
