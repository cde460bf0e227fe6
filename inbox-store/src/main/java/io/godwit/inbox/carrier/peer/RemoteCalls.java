package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.FrameSender;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The commands that were sent to leaders on another node and wait for their answers. Thread-safe. */
final class RemoteCalls {
    private final FrameSender sender;
    private final LongSupplier wallMillis;
    /** Any thread adds, the link's thread answers. */
    private final Map<Long, Answer> calls = new ConcurrentHashMap<>();

    private final AtomicLong lastCall = new AtomicLong();
    private volatile boolean isLost;

    RemoteCalls(FrameSender sender, LongSupplier wallMillis) {
        this.sender = sender;
        this.wallMillis = wallMillis;
    }

    long nowMillis() {
        return wallMillis.getAsLong();
    }

    FrameSender sender() {
        return sender;
    }

    /** Sends a command that needs no order among commands with rounds, and opens no attachment. */
    void ask(SessionCommand command, Answer answer) {
        ask(CommandCodec.encode(command, nowMillis()), RefusalGate.EVERY_ROUND, answer);
    }

    void ask(SessionCall.Builder command, long round, Answer answer) {
        long number = next();
        send(
                number,
                answer,
                InboxFrame.newBuilder().setSession(command.setCall(number).setRound(round)));
    }

    /** Sends the frame of a call; fails its answer when the frame is above the limit. */
    void send(long call, Answer answer, InboxFrame.Builder frame) {
        register(call, answer);
        if (sender.send(frame)) {
            failIfLost(call);
        } else {
            calls.remove(call);
            answer.fail(tooLarge());
        }
    }

    /** The failure of a command whose frame does not fit. */
    RangeException tooLarge() {
        return new RangeException(Cause.TOO_LARGE, sender.tooLarge("a command"));
    }

    /** A new number for a call. */
    long next() {
        return lastCall.incrementAndGet();
    }

    /** Registers the receiver of an answer, before the call is sent; {@link #failIfLost} must follow. */
    void register(long call, Answer answer) {
        calls.put(call, answer);
    }

    /** Fails the call if the link was lost before it was registered; called after the call was sent. */
    void failIfLost(long number) {
        Answer answer = isLost ? calls.remove(number) : null;
        if (answer != null) {
            answer.fail(new RangeException(Cause.LOST, "there is no link to the node of the leader"));
        }
    }

    boolean isWaiting(long call) {
        return calls.containsKey(call);
    }

    /** The receiver of the answer to {@code call}, which is here; null when nobody waits for it any more. */
    @Nullable
    Answer take(long call) {
        return calls.remove(call);
    }

    /** Unanswered calls. Any thread. */
    int size() {
        return calls.size();
    }

    /** The link is lost: later calls fail. {@link #failAll} must follow. */
    void lost() {
        isLost = true;
    }

    /** Fails the unanswered calls. */
    void failAll() {
        for (Long number : List.copyOf(calls.keySet())) {
            Answer answer = calls.remove(number);
            if (answer != null) {
                answer.fail(new RangeException(Cause.LOST, "the link to the node of the leader was lost"));
            }
        }
    }
}
