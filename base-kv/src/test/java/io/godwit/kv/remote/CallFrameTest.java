package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.wire.Call;
import io.godwit.kv.wire.CallAnswer;
import io.godwit.kv.wire.CallRequest;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallFrameTest {
    private static final RouteToken TOKEN = new RouteToken(5, 6, 7);

    private static CallFrame.Request request(RangeCall.Kind kind, byte @Nullable [] end) {
        return new CallFrame.Request(kind, 11, TOKEN, -2, "key".getBytes(UTF_8), "payload".getBytes(UTF_8), end);
    }

    private static CallRequest sent(int version, CallRequest message) throws IOException {
        CallForm form = CallForm.of(version);
        return form.requests().decode(form.requests().encode(message));
    }

    private static CallReply sent(int version, CallReply reply) throws IOException {
        CallForm form = CallForm.of(version);
        byte[] frame = form.answers().encode(CallFrame.message(new CallFrame.Reply(11, reply)));
        CallFrame.Reply read = CallFrame.reply(form.answers().decode(frame));
        assertThat(read.number()).isEqualTo(11);
        return read.reply();
    }

    @ParameterizedTest
    @EnumSource(RangeCall.Kind.class)
    void requestsComeBackAsTheyWere(RangeCall.Kind kind) throws Exception {
        for (int version = 1; version <= 2; version++) {
            boolean isInterval = kind == RangeCall.Kind.QUERY_INTERVAL;
            CallFrame.Request bounded = request(kind, isInterval ? "last".getBytes(UTF_8) : null);
            CallFrame.Request endless = request(kind, null);
            for (CallFrame.Request each : new CallFrame.Request[] {bounded, endless}) {
                CallRequest read = sent(version, CallFrame.message(each));
                assertThat(CallFrame.request(read.getCall()))
                        .usingRecursiveComparison()
                        .isEqualTo(each);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void hellosComeBackAsTheyWere(int version) throws Exception {
        CallFrame.Hello hello = new CallFrame.Hello(version, "cluster", "inbox", "a", 7, 3);
        assertThat(CallFrame.hello(sent(version, CallFrame.message(hello)).getHello()))
                .isEqualTo(hello);
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void outcomesComeBack(Cause cause) throws Exception {
        Cause expected = switch (cause) {
            case LOST -> Cause.TIMEOUT; // in both cases the outcome is unknown
            case CLOSED -> Cause.MOVED; // in both cases nothing was done
            default -> cause;
        };
        for (int version = 1; version <= 2; version++) {
            CallReply read = sent(version, CallReply.failed(new RangeException(cause, "größer")));
            assertThat(Objects.requireNonNull(read.failure()).reason()).isEqualTo(expected);
            assertThat(read.failure()).hasMessageContaining("größer");
            assertThat(sent(version, CallReply.done("v".getBytes(UTF_8))).value())
                    .isEqualTo("v".getBytes(UTF_8));
            assertThat(sent(version, CallReply.done(new byte[0])).value()).isEmpty();
        }
    }

    @Test
    void anEndIsReadForIntervalsOnly() throws Exception {
        CallRequest odd = CallFrame.message(request(RangeCall.Kind.QUERY, "last".getBytes(UTF_8)));
        assertThat(CallFrame.request(odd.getCall()).end()).isNull();
    }

    @Test
    void kindsAndOutcomesOfALaterReleaseAreRefused() {
        for (int value : new int[] {0, 99}) {
            Call call = Call.newBuilder().setKindValue(value).build();
            assertThatThrownBy(() -> CallFrame.request(call))
                    .isInstanceOf(IOException.class)
                    .hasMessage("call of kind " + value);
            CallAnswer answer = CallAnswer.newBuilder().setOutcomeValue(value).build();
            assertThatThrownBy(() -> CallFrame.reply(answer))
                    .isInstanceOf(IOException.class)
                    .hasMessage("reply of outcome " + value);
        }
    }

    /** So that a node with a limit for a message that just fits a request can still get it. */
    @Test
    void aRequestIsLittleLargerThanItsKeyAndPayload() {
        CallFrame.Request large = new CallFrame.Request(
                RangeCall.Kind.QUERY_INTERVAL,
                Long.MAX_VALUE,
                new RouteToken(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
                Long.MAX_VALUE,
                new byte[1_000],
                new byte[1 << 20],
                new byte[1_000]);
        for (int version = 1; version <= 2; version++) {
            assertThat(CallForm.of(version).requests().encode(CallFrame.message(large)))
                    .hasSizeLessThan((1 << 20) + 2_000 + 128);
        }
    }
}
