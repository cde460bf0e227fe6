package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.entity.Task;
import java.nio.ByteBuffer;

/** A running replica of a Raft group. Thread-safe; nothing but {@link #close} blocks. */
public final class RaftGroup implements AutoCloseable {
    private static final byte[] NO_CONTEXT = {};

    private final RaftGroupService service;
    private final Node node;

    RaftGroup(RaftGroupService service, Node node) {
        this.service = service;
        this.node = node;
    }

    /** Appends if this node still leads {@code term}; {@code done} runs on a thread of JRaft, with an error, unless it is applied. */
    public void append(byte[] entry, long term, Closure done) {
        try {
            node.apply(new Task(ByteBuffer.wrap(entry), done, term));
        } catch (IllegalStateException e) {
            // shutting down: done has been told
            return;
        }
    }

    public void readIndex(ReadIndexClosure done) {
        node.readIndex(NO_CONTEXT, done);
    }

    /** Not for the apply thread, which it may wait for. */
    public void snapshot(Closure done) {
        node.snapshot(done);
    }

    /** Stops the replica and waits until nothing of it runs any more. */
    @Override
    public void close() {
        service.shutdown();
        try {
            service.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
