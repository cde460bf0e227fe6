package io.godwit.cluster.link.stream;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.cluster.rpc.RpcServer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The streams of links as gRPC calls, one call per connection.
 *
 * <p>Everything that arrives is read at once. The links bound what they hold themselves, and one lane must not stop the
 * others by filling the HTTP/2 window that they share.
 */
final class GrpcLinks {
    /**
     * The bytes that gRPC queues before it is not ready: enough to keep a connection busy until a thread wakes up to
     * send more.
     */
    private static final int READY_BYTES = 256 << 10;

    static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("godwit.Links", "link"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private final ServerServiceDefinition definition;

    /** The event loop of a connection. */
    private record Loop(EventLoop loop, boolean hasFineTimers) implements LinkStream.EventThread {
        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // ends with the loop
        public void executeLater(Runnable task, long nanos) {
            loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The event loops of connections. */
    interface Loops {
        /** The calling thread; null if it is no event loop. */
        LinkStream.@Nullable EventThread current();

        /** Those of a node's server and channels. */
        static Loops of(RpcServer server) {
            return () -> {
                EventLoop loop = server.currentLoop();
                return loop == null ? null : new Loop(loop, server.hasFineTimers());
            };
        }
    }

    /**
     * @param accept called with each stream that another node opens; returns the receiver of its events
     */
    GrpcLinks(Loops loops, Function<LinkStream, LinkStream.Events> accept) {
        this.definition = ServerServiceDefinition.builder("godwit.Links")
                .addMethod(METHOD, (call, headers) -> {
                    call.sendHeaders(new Metadata());
                    call.setOnReadyThreshold(READY_BYTES);
                    call.request(Integer.MAX_VALUE);
                    AcceptedStream stream = new AcceptedStream(call, loops.current());
                    return new Accepted(stream, accept.apply(stream));
                })
                .build();
    }

    ServerServiceDefinition definition() {
        return definition;
    }

    static @Nullable LinkStream dial(@Nullable Channel channel, Loops loops, LinkStream.Events events) {
        if (channel == null) {
            return null;
        }
        ClientCall<byte[], byte[]> call =
                channel.newCall(METHOD, CallOptions.DEFAULT.withOnReadyThreshold(READY_BYTES));
        DialedStream stream = new DialedStream(call);
        call.start(new Dialed(stream, loops, events), new Metadata());
        call.request(Integer.MAX_VALUE);
        return stream;
    }

    /** Synchronized, because another thread than the sending one may cancel it. */
    private static final class DialedStream implements LinkStream {
        private final ClientCall<byte[], byte[]> call;
        private boolean isFinished;
        /** Set once, by the loop. */
        private volatile @Nullable EventThread thread;

        DialedStream(ClientCall<byte[], byte[]> call) {
            this.call = call;
        }

        @Override
        public @Nullable EventThread thread() {
            return thread;
        }

        @Override
        public boolean isReady() {
            return call.isReady();
        }

        @Override
        public synchronized void send(byte[] message) {
            if (!isFinished) {
                call.sendMessage(message);
            }
        }

        @Override
        public synchronized void finish() {
            if (!isFinished) {
                isFinished = true;
                call.halfClose();
            }
        }

        @Override
        public synchronized void cancel(String why) {
            isFinished = true;
            call.cancel(why, null);
        }
    }

    private static final class Dialed extends ClientCall.Listener<byte[]> {
        private final DialedStream stream;
        private final Loops loops;
        private final LinkStream.Events events;

        Dialed(DialedStream stream, Loops loops, LinkStream.Events events) {
            this.stream = stream;
            this.loops = loops;
            this.events = events;
        }

        @Override
        public void onHeaders(Metadata headers) { // the first call by the connection's loop
            stream.thread = loops.current();
        }

        @Override
        public void onMessage(byte[] message) {
            events.received(message);
        }

        @Override
        public void onReady() {
            events.writable();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            events.closed(status.getCode() + ": " + status.getDescription());
        }
    }

    /** Synchronized, for the same reason as {@link DialedStream}. */
    private static final class AcceptedStream implements LinkStream {
        private final ServerCall<byte[], byte[]> call;
        private final @Nullable EventThread thread;
        private boolean isFinished;

        AcceptedStream(ServerCall<byte[], byte[]> call, @Nullable EventThread thread) {
            this.call = call;
            this.thread = thread;
        }

        @Override
        public @Nullable EventThread thread() {
            return thread;
        }

        @Override
        public boolean isReady() {
            return call.isReady();
        }

        @Override
        public synchronized void send(byte[] message) {
            if (!isFinished && !call.isCancelled()) {
                call.sendMessage(message);
            }
        }

        @Override
        public void finish() {
            close(Status.OK);
        }

        @Override
        public void cancel(String why) {
            close(Status.CANCELLED.withDescription(why));
        }

        private synchronized void close(Status status) {
            if (!isFinished) {
                isFinished = true;
                call.close(status, new Metadata());
            }
        }
    }

    private static final class Accepted extends ServerCall.Listener<byte[]> {
        private final AcceptedStream stream;
        private final LinkStream.Events events;

        Accepted(AcceptedStream stream, LinkStream.Events events) {
            this.stream = stream;
            this.events = events;
        }

        @Override
        public void onMessage(byte[] message) {
            events.received(message);
        }

        @Override
        public void onReady() {
            events.writable();
        }

        @Override
        public void onHalfClose() {
            stream.finish();
        }

        @Override
        public void onCancel() {
            events.closed("cancelled");
        }

        @Override
        public void onComplete() {
            events.closed("finished");
        }
    }
}
