package io.godwit.cluster.link;

import io.godwit.cluster.BytesMarshaller;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Streams of links as calls of gRPC, one for each connection.
 *
 * <p>Everything that comes is read: links bound by themselves what they hold, and a lane must not stop the others that
 * share a connection's window of HTTP/2.
 */
final class GrpcLinks {
    /** Up to here gRPC is given messages: enough to keep a connection busy while a thread is woken for more. */
    private static final int READY_BYTES = 256 << 10;

    static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("godwit.Links", "link"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private final ServerServiceDefinition definition;

    /** @param accept is given each stream that is opened, and returns who is told of it */
    GrpcLinks(Function<LinkStream, LinkStream.Events> accept) {
        this.definition = ServerServiceDefinition.builder("godwit.Links")
                .addMethod(METHOD, (call, headers) -> {
                    call.sendHeaders(new Metadata());
                    call.setOnReadyThreshold(READY_BYTES);
                    call.request(Integer.MAX_VALUE);
                    AcceptedStream stream = new AcceptedStream(call);
                    return new Accepted(stream, accept.apply(stream));
                })
                .build();
    }

    ServerServiceDefinition definition() {
        return definition;
    }

    static @Nullable LinkStream dial(@Nullable Channel channel, LinkStream.Events events) {
        if (channel == null) {
            return null;
        }
        ClientCall<byte[], byte[]> call =
                channel.newCall(METHOD, CallOptions.DEFAULT.withOnReadyThreshold(READY_BYTES));
        DialedStream stream = new DialedStream(call);
        call.start(new Dialed(events), new Metadata());
        call.request(Integer.MAX_VALUE);
        return stream;
    }

    /** Guarded by its lock, since it may be cancelled by another thread than the one that sends. */
    private static final class DialedStream implements LinkStream {
        private final ClientCall<byte[], byte[]> call;
        private boolean isFinished;

        DialedStream(ClientCall<byte[], byte[]> call) {
            this.call = call;
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
        private final LinkStream.Events events;

        Dialed(LinkStream.Events events) {
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
        public void onClose(Status status, Metadata trailers) {
            events.closed(status.getCode() + ": " + status.getDescription());
        }
    }

    /** Guarded by its lock, as the other end's. */
    private static final class AcceptedStream implements LinkStream {
        private final ServerCall<byte[], byte[]> call;
        private boolean isFinished;

        AcceptedStream(ServerCall<byte[], byte[]> call) {
            this.call = call;
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
