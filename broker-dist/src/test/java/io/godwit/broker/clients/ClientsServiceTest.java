package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.MessageLite;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.remote.ClientMethods;
import io.godwit.broker.clients.remote.ClientWire;
import io.godwit.broker.clients.remote.ClientsService;
import io.godwit.broker.clients.wire.Criteria;
import io.godwit.broker.clients.wire.DisconnectRequest;
import io.godwit.broker.clients.wire.FindRequest;
import io.godwit.broker.clients.wire.Key;
import io.godwit.broker.clients.wire.PageAnswer;
import io.godwit.broker.clients.wire.PageRequest;
import io.godwit.broker.clients.wire.ReceiversRequest;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.testing.Await;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node's answers to all kinds of requests at its port. */
@Timeout(120)
class ClientsServiceTest {
    private static final Key KEY = ClientWire.key(MemoryClients.key("c"));

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private ThreeNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        nodes.b.add("c");
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private byte[] call(MethodDescriptor<byte[], byte[]> method, byte[] request) {
        Channel channel = Objects.requireNonNull(nodes.to("b"));
        return ClientCalls.blockingUnaryCall(
                channel, method, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), request);
    }

    private static PageRequest.Builder page() {
        return PageRequest.newBuilder().setVersion(ClientWire.VERSION).setLimit(10);
    }

    private void assertRefused(MethodDescriptor<byte[], byte[]> method, MessageLite request, String... words) {
        assertRefused(method, request.toByteArray(), words);
    }

    private void assertRefused(MethodDescriptor<byte[], byte[]> method, byte[] request, String... words) {
        assertThatThrownBy(() -> call(method, request))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void aPageIsAnswered() throws Exception {
        PageAnswer answer =
                PageAnswer.parseFrom(call(ClientMethods.PAGE, page().build().toByteArray()));
        assertThat(answer.getClientsList()).hasSize(1);
        assertThat(answer.hasNext()).isFalse();
    }

    @Test
    void otherVersionsAreRefusedInWords() {
        for (int version : new int[] {0, 2, -1}) {
            assertRefused(ClientMethods.PAGE, page().setVersion(version).build(), "FAILED_PRECONDITION", "version 1");
            assertRefused(
                    ClientMethods.FIND,
                    FindRequest.newBuilder().setVersion(version).setKey(KEY).build(),
                    "FAILED_PRECONDITION");
            assertRefused(
                    ClientMethods.DISCONNECT,
                    DisconnectRequest.newBuilder()
                            .setVersion(version)
                            .setKey(KEY)
                            .setReasonCode(0x98)
                            .build(),
                    "FAILED_PRECONDITION");
        }
        assertThat(nodes.b.ended).isEmpty();
    }

    @Test
    void whatCannotBeAskedForIsRefused() {
        Key noTenant = KEY.toBuilder().setTenant("not a tenant").build();
        for (int limit : new int[] {0, 1_001, -1}) {
            assertRefused(ClientMethods.PAGE, page().setLimit(limit).build(), "INVALID_ARGUMENT", "page of");
        }
        assertRefused(ClientMethods.PAGE, page().setAfter(noTenant).build(), "INVALID_ARGUMENT");
        assertRefused(
                ClientMethods.PAGE,
                page().setCriteria(Criteria.newBuilder().setTenant("")).build(),
                "INVALID_ARGUMENT");
        assertRefused(ClientMethods.PAGE, new byte[] {1, 2, 3}, "INVALID_ARGUMENT");
        assertRefused(ClientMethods.PAGE, new byte[ClientsService.MAX_REQUEST_BYTES + 1], "INVALID_ARGUMENT", "bytes");
        assertRefused(ClientMethods.FIND, FindRequest.newBuilder().setVersion(1).build(), "INVALID_ARGUMENT");
        for (boolean isFilter : new boolean[] {false, true}) {
            ReceiversRequest.Builder receivers = ReceiversRequest.newBuilder()
                    .setVersion(1)
                    .setTenant("default")
                    .setIsFilter(isFilter);
            assertRefused(
                    ClientMethods.RECEIVERS,
                    receivers.setTopic("a/#/b").setLimit(1).build(),
                    "INVALID_ARGUMENT");
            assertRefused(
                    ClientMethods.RECEIVERS, receivers.setTopic("a").setLimit(0).build(), "INVALID_ARGUMENT");
            assertRefused(ClientMethods.RECEIVERS, receivers.setVersion(2).build(), "FAILED_PRECONDITION");
        }
        for (int code : new int[] {0x8A, 0x04, 0x10, 300, -1}) {
            assertRefused(
                    ClientMethods.DISCONNECT,
                    DisconnectRequest.newBuilder()
                            .setVersion(1)
                            .setKey(KEY)
                            .setReasonCode(code)
                            .build(),
                    "INVALID_ARGUMENT");
        }
        assertThat(nodes.b.ended).isEmpty();
    }

    @Test
    void moreQuestionsThanItAnswersAtATimeAreRefused() throws Exception {
        nodes.b.isSilent = true;
        Channel channel = Objects.requireNonNull(nodes.to("b"));
        byte[] request = PageRequest.newBuilder()
                .setVersion(1)
                .setCriteria(ClientWire.criteria(ClientCriteria.ALL))
                .setLimit(10)
                .build()
                .toByteArray();
        List<Future<byte[]>> asked = new ArrayList<>();
        for (int i = 0; i <= ClientsService.MAX_PAGES; i++) {
            asked.add(ClientCalls.futureUnaryCall(
                    channel.newCall(ClientMethods.PAGE, CallOptions.DEFAULT.withDeadlineAfter(90, TimeUnit.SECONDS)),
                    request));
        }
        // while the channel is being connected, calls overtake each other: it may be any of them
        Await.until("one is refused", Await.PATIENCE, () -> asked.stream().anyMatch(Future::isDone));
        List<Future<byte[]>> refused = asked.stream().filter(Future::isDone).toList();
        assertThat(refused).hasSize(1);
        assertThatThrownBy(() -> refused.get(0).get())
                .hasMessageContainingAll("RESOURCE_EXHAUSTED", "16 such questions");
        nodes.b.isSilent = false;
        byte[] find = FindRequest.newBuilder().setVersion(1).setKey(KEY).build().toByteArray();
        Future<byte[]> one = ClientCalls.futureUnaryCall(
                channel.newCall(ClientMethods.FIND, CallOptions.DEFAULT.withDeadlineAfter(90, TimeUnit.SECONDS)), find);
        assertThat(one.get(60, TimeUnit.SECONDS))
                .as("a question of another kind is answered")
                .isNotNull();
        asked.forEach(each -> each.cancel(true));
    }
}
