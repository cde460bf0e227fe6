package io.godwit.kv.remote;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Single questions between the nodes of a cluster, separate from client requests: one gRPC method, whose messages name
 * the question. A node of another cluster only gets the answer that it is one.
 *
 * <pre>
 * request  byte version = 1 | utf cluster id | utf asker | byte question | what it needs
 * answer   byte 0 | the answer
 *          byte 1 | utf reason of the failure
 * </pre>
 */
public final class NodeRpc implements AutoCloseable {
    private static final int VERSION = 1;
    private static final byte OK = 0;
    private static final byte FAILED = 1;
    private static final int MAX_WHY_CHARS = 2_000;

    private static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("godwit.Node", "ask"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    /** The kinds of questions; the number is used on the wire. */
    public enum Question {
        /** This is my report; send yours. Both are {@link NodeReports}. */
        EXCHANGE(1),
        /** Make a replica. */
        CREATE_REPLICA(2),
        /** Describe the range of the group that you call me for. */
        DESCRIBE_RANGE(3),
        /** Carry out a balance action. */
        CARRY_OUT(4),
        /** Begin or end your drain. */
        DRAIN(5),
        /** Go on without the lost voters. */
        RESET_VOTERS(6),
        /** Has the range ended? */
        HAS_ENDED(7),
        /** Lead these groups, whose leader I do not reach. */
        TAKE_OVER(8),
        /** Store the facts of the cluster; see {@link io.godwit.kv.facts.ClusterFacts}. */
        NOTE_FACTS(9);

        private final byte number;

        Question(int number) {
            this.number = (byte) number;
        }
    }

    /** Answers one kind of question. */
    @FunctionalInterface
    public interface Answerer {
        /**
         * Answers a question. Called on a thread that may block.
         *
         * @return the answer; a failure, or an exception, is sent to the asker with its message
         */
        CompletableFuture<byte[]> answer(String asker, byte[] content) throws IOException;
    }

    private final String clusterId;
    private final String self;
    private final RpcServer server;
    private final RpcChannels channels;
    private final Executor threads;
    private final ServerServiceDefinition service;
    private final Map<Byte, Answerer> answerers = new ConcurrentHashMap<>();
    private final Predicate<String> isRefused;

    /**
     * @param threads run answerers, which may block
     * @param isRefused whether the node with this store id may only ask for an exchange, from which it learns why
     */
    public NodeRpc(
            String clusterId,
            String self,
            RpcServer server,
            RpcChannels channels,
            Executor threads,
            Predicate<String> isRefused) {
        this.isRefused = isRefused;
        this.clusterId = clusterId;
        this.self = self;
        this.server = server;
        this.channels = channels;
        this.threads = threads;
        this.service = ServerServiceDefinition.builder("godwit.Node")
                .addMethod(METHOD, ServerCalls.asyncUnaryCall(this::asked))
                .build();
        server.add(service);
    }

    /** Sets the answerer of a question, replacing the former one. Any thread; before this the question is refused. */
    public void on(Question question, Answerer answerer) {
        answerers.put(question.number, answerer);
    }

    /**
     * Asks another node.
     *
     * @return completes on a thread of the network, which must not be blocked; fails with an {@link IOException}
     */
    public CompletableFuture<byte[]> ask(String storeId, Question question, byte[] content, long timeoutMillis) {
        Channel channel = channels.to(storeId);
        if (channel == null) {
            return CompletableFuture.failedFuture(new IOException("no member " + storeId));
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        ClientCalls.asyncUnaryCall(
                channel.newCall(
                        METHOD,
                        CallOptions.DEFAULT.withDeadlineAfter(Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS)),
                request(question, content),
                new Receiver(storeId, answer));
        return answer;
    }

    private byte[] request(Question question, byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128 + content.length);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(clusterId);
            out.writeUTF(self);
            out.writeByte(question.number);
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Converts the end of a call into the answer. */
    private static final class Receiver implements StreamObserver<byte[]> {
        private final String storeId;
        private final CompletableFuture<byte[]> answer;

        Receiver(String storeId, CompletableFuture<byte[]> answer) {
            this.storeId = storeId;
            this.answer = answer;
        }

        @Override
        public void onNext(byte[] frame) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
                if (in.readByte() == OK) {
                    answer.complete(in.readAllBytes());
                } else {
                    answer.completeExceptionally(new IOException(in.readUTF()));
                }
            } catch (IOException e) {
                answer.completeExceptionally(e);
            }
        }

        @Override
        public void onError(Throwable thrown) {
            answer.completeExceptionally(new IOException(storeId + " does not answer: " + thrown.getMessage(), thrown));
        }

        @Override
        public void onCompleted() {
            answer.completeExceptionally(new IOException(storeId + " gave no answer"));
        }
    }

    // --- answering

    private void asked(byte[] frame, StreamObserver<byte[]> observer) {
        try {
            threads.execute(() -> answer(frame, observer));
        } catch (RejectedExecutionException e) {
            observer.onError(Status.UNAVAILABLE.withDescription("closing").asRuntimeException());
        }
    }

    private void answer(byte[] frame, StreamObserver<byte[]> observer) {
        CompletableFuture<byte[]> answer;
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("question of version " + version + ", expected " + VERSION);
            }
            String cluster = in.readUTF();
            if (!cluster.equals(clusterId)) {
                throw new IOException("this node is of cluster " + clusterId + ", not of " + cluster);
            }
            String asker = in.readUTF();
            byte question = in.readByte();
            if (question != Question.EXCHANGE.number && isRefused.test(asker)) {
                throw new IOException("node " + asker + " was forgotten: it is no longer a node of this cluster");
            }
            Answerer answerer = answerers.get(question);
            if (answerer == null) {
                throw new IOException("this node is not ready for that question, or its release is too old");
            }
            answer = answerer.answer(asker, in.readAllBytes());
        } catch (IOException | RuntimeException e) { // outermost frame of a question
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((content, failure) -> {
            observer.onNext(failure == null ? good(content) : bad(failure));
            observer.onCompleted();
        });
    }

    private static byte[] good(byte[] content) {
        byte[] frame = new byte[1 + content.length];
        frame[0] = OK;
        System.arraycopy(content, 0, frame, 1, content.length);
        return frame;
    }

    private static byte[] bad(Throwable failure) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FAILED);
            String why = String.valueOf(failure.getMessage());
            out.writeUTF(why.substring(0, Math.min(MAX_WHY_CHARS, why.length())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        server.remove(service);
    }
}
