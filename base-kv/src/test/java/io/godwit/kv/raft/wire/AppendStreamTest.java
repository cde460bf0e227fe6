package io.godwit.kv.raft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.google.protobuf.ByteString;
import io.godwit.kv.raft.wire.RaftMessages.Numbered;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node that does or does not read its appends. */
class AppendStreamTest {
    private static final int MIB = 1 << 20;
    private static final int MOST = AppendStream.MAX_QUEUED_BYTES / MIB;

    private final FakeCall call = new FakeCall();
    private final LongAdder refused = new LongAdder();
    private final AppendStream stream = new AppendStream("b", new FakeChannel(), refused);
    private final List<@Nullable Throwable> answers = new ArrayList<>();

    AppendStreamTest() {
        stream.open();
    }

    @Test
    void whatANodeDoesNotReadIsBounded() {
        send(10 * MOST, MIB, 60_000);
        assertThat(call.sent).isEmpty();
        assertThat(answers).hasSizeBetween(9 * MOST, 9 * MOST + 1).hasOnlyElementsOfType(RemotingException.class);
        assertThat(refused.sum()).isEqualTo(answers.size());
    }

    @Test
    void whatWaitsIsSentInOrderWhenTheNodeReads() {
        send(3, 10, 60_000);
        call.isReady = true;
        send(1, 10, 60_000); // behind the waiting ones
        assertThat(call.sent).isEmpty();
        stream.onReady();
        send(1, 10, 60_000);
        assertThat(call.sent).extracting(Numbered::number).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(answers).isEmpty();
    }

    @Test
    void whatNobodyWaitsForAnyMoreIsNotSentAndTakesNoRoom() {
        send(MOST / 2, MIB, 0);
        stream.expire(System.nanoTime() + 1);
        assertThat(answers).hasSize(MOST / 2).hasOnlyElementsOfType(InvokeTimeoutException.class);
        answers.clear();
        send(MOST - 1, MIB, 60_000);
        assertThat(answers).isEmpty();
        call.isReady = true;
        stream.onReady();
        assertThat(call.sent).hasSize(MOST - 1);
    }

    @Test
    void allThatAreLateAreToldAlsoWhenOneThrows() {
        stream.send(request(10), 0, (response, failure) -> {
            throw new StackOverflowError();
        });
        send(3, 10, 0);
        stream.expire(System.nanoTime() + 1);
        assertThat(answers).hasSize(3).hasOnlyElementsOfType(InvokeTimeoutException.class);
    }

    @Test
    void oneThatIsLargerThanTheBoundGoesAlone() {
        send(2, 2 * MOST * MIB, 60_000);
        assertThat(answers).hasSize(1);
        call.isReady = true;
        stream.onReady();
        assertThat(call.sent).hasSize(1);
    }

    @Test
    void theEndFailsWhatWaits() {
        send(3, 10, 60_000);
        stream.onClose(Status.UNAVAILABLE, new Metadata());
        assertThat(answers).hasSize(3).hasOnlyElementsOfType(RemotingException.class);
        call.isReady = true;
        stream.onReady();
        assertThat(call.sent).isEmpty();
    }

    private static AppendEntriesRequest request(int bytes) {
        return AppendEntriesRequest.newBuilder()
                .setGroupId("test-1")
                .setServerId("a:1")
                .setPeerId("b:1")
                .setTerm(1)
                .setPrevLogTerm(1)
                .setPrevLogIndex(1)
                .setCommittedIndex(1)
                .setData(ByteString.copyFrom(new byte[bytes]))
                .build();
    }

    private void send(int requests, int bytes, long timeoutMillis) {
        AppendEntriesRequest request = request(bytes);
        for (int i = 0; i < requests; i++) {
            stream.send(request, timeoutMillis, (response, failure) -> answers.add(failure));
        }
    }

    private final class FakeChannel extends Channel {
        @Override
        @SuppressWarnings("unchecked") // there is only one method
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return (ClientCall<Q, A>) call;
        }

        @Override
        public String authority() {
            return "b";
        }
    }

    private static final class FakeCall extends ClientCall<Numbered, Numbered> {
        final List<Numbered> sent = new ArrayList<>();
        boolean isReady;

        @Override
        public void start(Listener<Numbered> listener, Metadata headers) {}

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Numbered message) {
            sent.add(message);
        }

        @Override
        public boolean isReady() {
            return isReady;
        }
    }
}
