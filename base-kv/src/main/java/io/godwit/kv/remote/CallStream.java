package io.godwit.kv.remote;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this node to another for one store. When the stream breaks, all unanswered calls fail, and the next
 * stream replaces it; the other node then accepts nothing more from this stream.
 *
 * <p>The thread that keeps the order sends; network threads receive the answers. Hence the lock.
 */
final class CallStream implements StreamObserver<byte[]> {
    private final int version;
    private final CallForm form;
    private final Map<Long, Consumer<CallReply>> unanswered = new HashMap<>(); // guarded by this
    private @Nullable StreamObserver<byte[]> requests; // guarded by this
    private boolean broken; // guarded by this
    /** Number of the last request; only for the thread that sends. */
    private long sent;

    /** @param version the version that both nodes have agreed on */
    CallStream(int version) {
        this.version = version;
        this.form = CallForm.of(version);
    }

    int version() {
        return version;
    }

    void open(Channel channel, CallFrame.Hello hello) {
        StreamObserver<byte[]> opened =
                ClientCalls.asyncBidiStreamingCall(channel.newCall(form.method(), CallOptions.DEFAULT), this);
        synchronized (this) {
            requests = opened;
            if (!broken) {
                opened.onNext(form.requests().encode(CallFrame.message(hello)));
            }
        }
    }

    synchronized boolean isOpen() {
        return !broken;
    }

    /** Whether every request is answered, so that nothing is lost if the stream is closed now. */
    synchronized boolean isIdle() {
        return unanswered.isEmpty();
    }

    /**
     * Sends a request. It gets a number of its own in the stream, because one call may be sent again, under another
     * token, before the first answer is there.
     *
     * @param answer called once if the request was sent, on any thread
     * @return whether the request was sent
     */
    boolean send(CallFrame.Request unnumbered, Consumer<CallReply> answer) {
        CallFrame.Request request = unnumbered.numbered(++sent);
        byte[] frame = form.requests().encode(CallFrame.message(request));
        synchronized (this) {
            StreamObserver<byte[]> opened = requests;
            if (broken || opened == null) {
                return false;
            }
            unanswered.put(request.number(), answer);
            opened.onNext(frame);
            return true;
        }
    }

    @Override
    public void onNext(byte[] frame) {
        CallFrame.Reply reply;
        try {
            reply = CallFrame.reply(form.answers().decode(frame));
        } catch (IOException e) {
            end("reply not understood: " + e.getMessage());
            return;
        }
        Consumer<CallReply> answer;
        synchronized (this) {
            answer = unanswered.remove(reply.number());
        }
        if (answer != null) {
            answer.accept(reply.reply());
        }
    }

    @Override
    public void onError(Throwable thrown) {
        end(String.valueOf(thrown.getMessage()));
    }

    @Override
    public void onCompleted() {
        end("ended by the other node");
    }

    void close() {
        StreamObserver<byte[]> opened;
        synchronized (this) {
            opened = broken ? null : requests;
        }
        end("closed");
        if (opened != null) {
            opened.onError(new IllegalStateException("closed"));
        }
    }

    private void end(String why) {
        List<Consumer<CallReply>> lost;
        synchronized (this) {
            broken = true;
            lost = new ArrayList<>(unanswered.values());
            unanswered.clear();
        }
        CallReply unknown =
                CallReply.failed(new RangeException(Cause.LOST, "connection lost before it was answered: " + why));
        lost.forEach(answer -> answer.accept(unknown));
    }
}
