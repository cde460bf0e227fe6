package io.godwit.kv.remote;

import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.wire.Done;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Single questions between the nodes of a cluster, separate from client requests ({@link QuestionForm}). A node of
 * another cluster only gets the answer that it is one.
 */
public final class NodeRpc implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRpc.class);
    private static final int MAX_WHY_CHARS = 2_000;

    /** The answer to questions that ask for something to be done. */
    public static final NodeAnswer DONE =
            NodeAnswer.newBuilder().setDone(Done.getDefaultInstance()).build();

    /** Answers one kind of question. */
    @FunctionalInterface
    public interface Answerer {
        /**
         * Answers a question. Called on a thread that may block.
         *
         * @return the answer; a failure, or an exception, is sent to the asker with its message
         */
        CompletableFuture<NodeAnswer> answer(NodeQuestion question) throws IOException;
    }

    private final Self self;
    private final RpcServer server;
    private final RpcChannels channels;
    private final Executor threads;
    private final ServerServiceDefinition service;
    private final Map<QuestionCase, Answerer> answerers = new ConcurrentHashMap<>();
    private final Predicate<String> isRefused;
    /** By store id, incarnations with which this node has no common version, and which were logged. */
    private final Map<String, Long> unable = new ConcurrentHashMap<>();

    /**
     * This node.
     *
     * @param protocol the versions of the questions that it supports
     */
    public record Self(String clusterId, String storeId, NodeProtocol protocol) {}

    /**
     * @param threads run answerers, which may block
     * @param isRefused whether the node with this store id may only ask for an exchange, from which it learns why
     */
    public NodeRpc(Self self, RpcServer server, RpcChannels channels, Executor threads, Predicate<String> isRefused) {
        this.self = self;
        this.isRefused = isRefused;
        this.server = server;
        this.channels = channels;
        this.threads = threads;
        ServerServiceDefinition.Builder methods = ServerServiceDefinition.builder(QuestionForm.SERVICE);
        for (QuestionForm form : QuestionForm.servedBy(self.protocol())) {
            methods.addMethod(
                    form.method(), ServerCalls.asyncUnaryCall((frame, observer) -> asked(form, frame, observer)));
        }
        this.service = methods.build();
        server.add(service);
    }

    /** Sets the answerer of a question, replacing the former one. Any thread; before this the question is refused. */
    public void on(QuestionCase question, Answerer answerer) {
        answerers.put(question, answerer);
    }

    /**
     * Asks another node.
     *
     * @param content the question; the rest is filled in
     * @return the answer, whose outcome is {@code expected}; completes on a thread of the network, which must not be
     *     blocked; fails with an {@link IOException}
     */
    public CompletableFuture<NodeAnswer> ask(
            String storeId, NodeQuestion.Builder content, OutcomeCase expected, long timeoutMillis) {
        Member member = channels.member(storeId);
        Channel channel = channels.to(storeId);
        if (member == null || channel == null) {
            return CompletableFuture.failedFuture(new IOException("no member " + storeId));
        }
        int version = self.protocol().agreedWith(member);
        if (version == 0) {
            return CompletableFuture.failedFuture(new IOException(noVersion(member)));
        }
        NodeQuestion question = content.setVersion(version)
                .setClusterId(self.clusterId())
                .setAsker(self.storeId())
                .build();
        QuestionForm form = QuestionForm.of(version);
        byte[] frame;
        try {
            frame = form.questions().encode(question);
        } catch (RuntimeException e) { // a text that is too long for the form
            return CompletableFuture.failedFuture(new IOException("question cannot be sent: " + e.getMessage(), e));
        }
        Receiver receiver = new Receiver(storeId, form.answers().apply(question.getQuestionCase()), expected);
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
        ClientCalls.asyncUnaryCall(channel.newCall(form.method(), options), frame, receiver);
        return receiver.answer;
    }

    /** Tells an operator once of each process that cannot be asked. */
    private String noVersion(Member member) {
        String lack = self.protocol().lackWith(member);
        Long told = unable.put(member.nodeId(), member.incarnation());
        if (told == null || told != member.incarnation()) {
            LOG.warn("node cannot be asked node={} cause={}", member, lack);
        }
        return lack;
    }

    /** Converts the end of a call into the answer. */
    private static final class Receiver implements StreamObserver<byte[]> {
        private final String storeId;
        private final WireCodec<NodeAnswer> codec;
        private final OutcomeCase expected;
        private final CompletableFuture<NodeAnswer> answer = new CompletableFuture<>();

        Receiver(String storeId, WireCodec<NodeAnswer> codec, OutcomeCase expected) {
            this.storeId = storeId;
            this.codec = codec;
            this.expected = expected;
        }

        @Override
        public void onNext(byte[] frame) {
            try {
                NodeAnswer decoded = codec.decode(frame);
                if (decoded.getOutcomeCase() == expected) {
                    answer.complete(decoded);
                } else if (decoded.hasFailure()) {
                    answer.completeExceptionally(new IOException(decoded.getFailure()));
                } else {
                    answer.completeExceptionally(new IOException(
                            storeId + " answered " + decoded.getOutcomeCase() + ", expected " + expected));
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

    private void asked(QuestionForm form, byte[] frame, StreamObserver<byte[]> observer) {
        try {
            threads.execute(() -> answer(form, frame, observer));
        } catch (RejectedExecutionException e) {
            observer.onError(Status.UNAVAILABLE.withDescription("closing").asRuntimeException());
        }
    }

    private void answer(QuestionForm form, byte[] frame, StreamObserver<byte[]> observer) {
        QuestionCase kind = QuestionCase.QUESTION_NOT_SET;
        CompletableFuture<NodeAnswer> answer;
        try {
            NodeQuestion question = form.questions().decode(frame);
            kind = question.getQuestionCase();
            answer = answer(form, question);
        } catch (IOException | RuntimeException e) { // outermost frame of a question
            answer = CompletableFuture.failedFuture(e);
        }
        WireCodec<NodeAnswer> codec = form.answers().apply(kind);
        answer.whenComplete((good, failure) -> {
            observer.onNext(failure == null ? encoded(codec, good) : codec.encode(bad(failure)));
            observer.onCompleted();
        });
    }

    private CompletableFuture<NodeAnswer> answer(QuestionForm form, NodeQuestion question) throws IOException {
        int version = question.getVersion();
        if (!self.protocol().includes(version) || !QuestionForm.of(version).equals(form)) {
            throw new IOException("question of version " + version + ", expected "
                    + self.protocol().versions());
        }
        if (!question.getClusterId().equals(self.clusterId())) {
            throw new IOException(
                    "this node is of cluster " + self.clusterId() + ", not of " + question.getClusterId());
        }
        String asker = question.getAsker();
        QuestionCase kind = question.getQuestionCase();
        if (kind != QuestionCase.EXCHANGE && isRefused.test(asker)) {
            throw new IOException("node " + asker + " was forgotten: it is no longer a node of this cluster");
        }
        Answerer answerer = answerers.get(kind);
        if (answerer == null) {
            throw new IOException("this node is not ready for that question, or its release is too old");
        }
        return answerer.answer(question);
    }

    private static byte[] encoded(WireCodec<NodeAnswer> codec, NodeAnswer answer) {
        try {
            return codec.encode(answer);
        } catch (RuntimeException e) { // a text that is too long for the form
            return codec.encode(bad(e));
        }
    }

    private static NodeAnswer bad(Throwable failure) {
        String why = String.valueOf(failure.getMessage());
        return NodeAnswer.newBuilder()
                .setFailure(why.substring(0, Math.min(MAX_WHY_CHARS, why.length())))
                .build();
    }

    @Override
    public void close() {
        server.remove(service);
    }
}
