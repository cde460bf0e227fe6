package io.godwit.kv.raft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.NodeId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.godwit.kv.raft.wire.MissingGroups;
import io.godwit.kv.raft.wire.PeerIds;
import io.godwit.kv.raft.wire.RaftMessages;
import io.godwit.kv.raft.wire.RaftTransport;
import io.godwit.kv.raft.wire.ServedGroup;
import io.grpc.MethodDescriptor;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrpcRaftRpcFactoryTest {
    private static final PeerId SELF = PeerIds.peer("self");
    private static final Endpoint OTHER = PeerIds.peer("other").getEndpoint();

    private final GrpcRaftRpcFactory factory = new GrpcRaftRpcFactory();
    private final List<String> ranBy = new CopyOnWriteArrayList<>();
    private final RpcClient client = client();

    /** Answers at once, on the caller's thread. */
    private RpcClient client() {
        RpcClient made = factory.createRpcClient(null);
        made.init(new RaftNodeOptions(new AnsweringTransport(), null));
        return made;
    }

    @Test
    void answersToAppendsStayOnTheirExecutorAndOthersGoToTheShared() throws Exception {
        send(append(1), by("ordered"));
        send(vote(), by("ordered"));
        assertThat(ranBy).containsExactly("ordered", "shared");
    }

    /** A lost answer would stop the replicator for good. */
    @Test
    void answerThatItsExecutorRefusesIsTakenByTheShared() throws Exception {
        send(append(1), task -> {
            throw new RejectedExecutionException("full");
        });
        assertThat(ranBy).containsExactly("shared");
    }

    /** JRaft holds the lock and sends the probe before it registers who waits for the follower to catch up. */
    @Test
    void answerToAProbeWaitsForWhoeverHoldsTheLock() throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        Node node = nodeLockedUntil(locked);
        NodeManager.getInstance().addAddress(SELF.getEndpoint());
        assertThat(NodeManager.getInstance().add(node)).isTrue();
        try {
            CountDownLatch told = new CountDownLatch(1);
            AppendEntriesRequest probe =
                    append(0).toBuilder().setData(ByteString.EMPTY).build();
            send(
                    probe,
                    task -> new Thread(() -> {
                                task.run();
                                told.countDown();
                            })
                            .start());
            assertThat(told.await(50, TimeUnit.MILLISECONDS)).isFalse();
            locked.countDown();
            assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            NodeManager.getInstance().remove(node);
            NodeManager.getInstance().removeAddress(SELF.getEndpoint());
        }
    }

    private static Node nodeLockedUntil(CountDownLatch free) {
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(), new Class<?>[] {Node.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "getNodeId" -> new NodeId("group", SELF);
                        case "getGroupId" -> "group";
                        case "getLeaderId" -> {
                            free.await();
                            yield SELF;
                        }
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> 1;
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    /** An error lacks the fields that a response requires, and must arrive anyway. */
    @Test
    void errorTravelsInTheResponseOfItsMethod() {
        Message error = factory.getRpcResponseFactory()
                .newResponse(RequestVoteResponse.getDefaultInstance(), 1_004, "no replica %s here", "n%1");
        MethodDescriptor<Message, Message> method = RaftMessages.methodFor(vote());
        RequestVoteResponse received = (RequestVoteResponse) method.parseResponse(method.streamResponse(error));
        ErrorResponse told = received.getErrorResponse();
        assertThat(told.getErrorCode()).isEqualTo(1_004);
        assertThat(told.getErrorMsg()).isEqualTo("no replica n%1 here");
    }

    private void send(Message request, Executor executor) throws Exception {
        client.invokeAsync(
                OTHER,
                request,
                null,
                new InvokeCallback() {
                    @Override
                    public void complete(Object result, Throwable failure) {
                        assertThat(failure).isNull();
                    }

                    @Override
                    public Executor executor() {
                        return executor;
                    }
                },
                1_000);
    }

    private Executor by(String name) {
        return task -> {
            ranBy.add(name);
            task.run();
        };
    }

    private static AppendEntriesRequest append(int entries) {
        AppendEntriesRequest.Builder builder = AppendEntriesRequest.newBuilder()
                .setGroupId("group")
                .setServerId(SELF.toString())
                .setPeerId("other:1")
                .setTerm(1)
                .setPrevLogIndex(0)
                .setPrevLogTerm(0)
                .setCommittedIndex(0);
        for (int i = 0; i < entries; i++) {
            builder.addEntriesBuilder().setTerm(1).setType(EntryType.ENTRY_TYPE_NO_OP);
        }
        return builder.build();
    }

    private static RequestVoteRequest vote() {
        return RequestVoteRequest.newBuilder()
                .setGroupId("group")
                .setServerId(SELF.toString())
                .setPeerId("other:1")
                .setTerm(1)
                .setLastLogIndex(0)
                .setLastLogTerm(0)
                .setPreVote(true)
                .build();
    }

    private final class AnsweringTransport implements RaftTransport {
        @Override
        public void call(String storeId, Message request, long timeoutMillis, Answer answer) {
            assertThat(storeId).isEqualTo("other");
            answer.complete(AppendEntriesResponse.getDefaultInstance(), null);
        }

        @Override
        public void canvass(String storeId, RequestVoteRequest request, long timeoutMillis, Answer answer) {
            call(storeId, request, timeoutMillis, answer);
        }

        @Override
        public Executor answers() {
            return by("shared");
        }

        @Override
        public void serve(String groupId, ServedGroup group) {}

        @Override
        public void serveNoMore(String groupId) {}

        @Override
        public void onMissing(MissingGroups missing) {}

        @Override
        public void close() {}
    }
}
