package io.godwit.broker.watch;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.broker.watch.question.WatchWire;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of another node. It requests a batch when the batch before was read, so unread entries stay at the other
 * node, whose queue is bounded and counts losses.
 */
final class PeerSource implements NodeSource {
    private static final Logger LOG = LoggerFactory.getLogger(PeerSource.class);

    private final String node;
    private final String told;
    private final WatchThread thread;
    private final Listener listener;
    /** The entries of one batch. Filled by the thread of watches, emptied by the reader. */
    private final Queue<WatchFeed.Item> items = new ConcurrentLinkedQueue<>();
    /** Whether a batch has arrived and the next was not requested yet. Atomic: both threads change it. */
    private final AtomicBoolean isBatchHere = new AtomicBoolean();

    private volatile @Nullable ClientCallStreamObserver<byte[]> call;

    /** Called on the thread of watches, with one exception. */
    interface Listener {
        /** The node has begun to watch. */
        void began();

        /** There are entries to read. May be called on another thread. */
        void ready();

        /** No more entries will come. */
        void ended(PeerSource source);
    }

    PeerSource(String node, String told, WatchThread thread, Listener listener) {
        this.node = node;
        this.told = told;
        this.thread = thread;
        this.listener = listener;
    }

    void open(Channel channel, byte[] request, Duration longest) {
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(longest.toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(WatchWire.MAX_BATCH_BYTES);
        ClientCalls.asyncServerStreamingCall(
                channel.newCall(WatchWire.WATCH, options), request, new ClientResponseObserver<byte[], byte[]>() {
                    @Override
                    public void beforeStart(ClientCallStreamObserver<byte[]> made) {
                        made.disableAutoRequestWithInitial(1);
                        call = made;
                    }

                    @Override
                    public void onNext(byte[] bytes) {
                        thread.run(() -> take(bytes));
                    }

                    @Override
                    public void onError(Throwable failure) {
                        LOG.debug("a node is not watched node={} cause={}", node, failure.toString());
                        thread.run(() -> listener.ended(PeerSource.this));
                    }

                    @Override
                    public void onCompleted() {
                        thread.run(() -> listener.ended(PeerSource.this));
                    }
                });
    }

    private void take(byte[] bytes) {
        WatchWire.Batch batch;
        try {
            batch = WatchWire.batch(bytes);
        } catch (InvalidProtocolBufferException e) {
            LOG.debug("a node tells what cannot be read node={}", node, e);
            close();
            return;
        }
        boolean isEmpty = batch.entries().isEmpty() && batch.lost() == 0;
        batch.entries().forEach(entry -> items.add(new WatchFeed.Item(told, entry.told(node))));
        if (batch.lost() > 0) {
            items.add(WatchFeed.Item.lost(node, batch.lost()));
        }
        isBatchHere.set(true);
        if (isEmpty) {
            askForMore();
            listener.began();
        } else {
            listener.ready();
        }
    }

    private void askForMore() {
        ClientCallStreamObserver<byte[]> made = call;
        if (made != null && isBatchHere.getAndSet(false)) {
            made.request(1);
        }
    }

    @Override
    public WatchFeed.@Nullable Item next() {
        WatchFeed.Item item = items.poll();
        if (item == null) {
            askForMore();
        }
        return item;
    }

    @Override
    public void close() {
        ClientCallStreamObserver<byte[]> made = call;
        if (made != null) {
            made.cancel("nobody watches any more", null);
        }
    }
}
