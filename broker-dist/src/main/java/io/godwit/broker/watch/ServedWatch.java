package io.godwit.broker.watch;

import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.broker.watch.question.WatchWire;
import io.godwit.broker.watch.tap.WatchQueue;
import io.godwit.broker.watch.wire.WatchBatch;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch of this node for an operator of another node: sends batches as fast as the other node reads them. Unread
 * entries stay in the bounded queue. Confined to the thread of watches.
 */
final class ServedWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ServedWatch.class);

    private final OwnWatches own;
    private final WatchThread thread;
    private final ServerCallStreamObserver<byte[]> caller;
    /** Null before the begin and after the end. */
    private @Nullable WatchQueue queue;

    private boolean isOver;

    ServedWatch(OwnWatches own, WatchThread thread, ServerCallStreamObserver<byte[]> caller) {
        this.own = own;
        this.thread = thread;
        this.caller = caller;
    }

    /** Called on the event loop of the RPC call. */
    void begin(byte[] request) {
        caller.setOnCancelHandler(() -> thread.run(this::end));
        caller.setOnReadyHandler(() -> thread.run(this::send));
        if (!thread.run(() -> open(request))) {
            caller.onError(
                    Status.UNAVAILABLE.withDescription("the node is stopping").asRuntimeException());
        }
    }

    private void open(byte[] request) {
        if (isOver) {
            return;
        }
        try {
            WatchQueue opened = own.open(WatchWire.question(request));
            queue = opened;
            thread.add(this, this::send);
            opened.onReady(() -> thread.soon(this::send));
            caller.onNext(WatchBatch.getDefaultInstance().toByteArray());
        } catch (StatusRuntimeException e) {
            fail(e);
        } catch (TooManyWatchesException e) {
            fail(Status.RESOURCE_EXHAUSTED.withDescription(e.getMessage()).asRuntimeException());
        } catch (RuntimeException e) { // outermost frame of a request
            LOG.warn("question of what happens failed", e);
            fail(Status.INTERNAL.withDescription(e.toString()).asRuntimeException());
        }
    }

    private void fail(StatusRuntimeException why) {
        end();
        caller.onError(why);
    }

    private void send() {
        WatchQueue from = queue;
        while (from != null && caller.isReady()) {
            WatchBatch.Builder batch = WatchBatch.newBuilder().setLost(from.takeLost());
            int bytes = 0;
            while (bytes < WatchWire.BATCH_BYTES) {
                WatchEntry entry = from.poll();
                if (entry == null) {
                    break;
                }
                bytes += entry.bytes();
                batch.addEntries(WatchWire.entry(entry));
            }
            if (bytes == 0 && batch.getLost() == 0) {
                return;
            }
            caller.onNext(batch.build().toByteArray());
        }
    }

    private void end() {
        isOver = true;
        WatchQueue opened = queue;
        queue = null;
        if (opened != null) {
            own.close(opened);
        }
        thread.remove(this);
    }
}
