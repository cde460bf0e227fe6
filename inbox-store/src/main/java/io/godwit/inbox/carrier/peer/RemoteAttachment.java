package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.AttachmentOver;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The edge's side of an attachment whose leader is on another node. The connection's thread posts commands; answers and
 * deliveries come on the link's thread.
 *
 * <p>Its end is sent to the other node once: commands posted before it are answered there, later ones fail here. The
 * lock keeps a command that is being posted from being sent after the end; it is held while one frame is passed to the
 * link.
 */
final class RemoteAttachment implements AttachmentPort {
    private final RemoteCalls calls;
    /** Is told of its end. */
    private final Consumer<RemoteAttachment> ended;

    private final long number;
    private final InboxId inbox;
    private final DeliveryStream deliveries;
    /** Written before the connection learns of the attachment. */
    private long incarnation;
    /**
     * Whether the connection has it. Written by the receiving thread, read by the thread that reports the end of the
     * link.
     */
    private volatile boolean isOpened;
    /** The failure of commands after its end; null before. Under the lock. */
    private @Nullable RangeException over;
    /**
     * Whether it ended because the store could not serve it, so that the end of its connection still counts. Under the
     * lock.
     */
    private boolean isDetachedLate;

    RemoteAttachment(
            RemoteCalls calls,
            Consumer<RemoteAttachment> ended,
            long number,
            InboxId inbox,
            DeliveryStream deliveries) {
        this.calls = calls;
        this.ended = ended;
        this.number = number;
        this.inbox = inbox;
        this.deliveries = deliveries;
    }

    long number() {
        return number;
    }

    // --- from the leader

    /** Receives the answer to the command that opens it. */
    Answer opening(SessionCommand command, Answer answer) {
        return new Answer() {
            @Override
            public void reply(InboxReply reply) {
                if (reply instanceof InboxReply.Attached attached) {
                    incarnation = attached.incarnation();
                    opened();
                } else if (reply instanceof InboxReply.Flag flag
                        && flag.isSet()
                        && command instanceof SessionCommand.Continue goOn) {
                    incarnation = goOn.request().incarnation();
                    opened();
                } else {
                    end(closed());
                }
                answer.reply(reply);
            }

            @Override
            public void fail(RangeException cause) {
                end(closed());
                answer.fail(cause);
            }
        };
    }

    private void opened() {
        isOpened = true;
        deliveries.opened(this);
    }

    /** The link is lost. If the attachment is not opened yet, the failure of its command reports that. */
    void linkLost() {
        if (isOpened) {
            next(new InboxDelivery.Detached(InboxListener.Reason.LOST));
        } else {
            end(closed());
        }
    }

    void next(InboxDelivery delivery) {
        if (delivery instanceof InboxDelivery.Detached detached) {
            synchronized (this) {
                isDetachedLate = over == null && detached.reason() == InboxListener.Reason.UNAVAILABLE;
            }
            // later commands are not sent; a connection that continues asks the next leader
            boolean goesOn =
                    detached.reason() == InboxListener.Reason.MOVED || detached.reason() == InboxListener.Reason.LOST;
            end(goesOn ? moved() : closed());
        }
        deliveries.next(delivery);
    }

    /** Stops sending commands. */
    private synchronized void end(RangeException cause) {
        if (over == null) {
            over = cause;
            ended.accept(this);
            calls.sender()
                    .sendSmall(InboxFrame.newBuilder()
                            .setAttachmentOver(AttachmentOver.newBuilder().setAttachment(number)));
        }
    }

    // --- from the connection

    @Override
    public void post(AttachmentCommand command, Answer answer) {
        Answer waiting = command instanceof AttachmentCommand.Detach ? detaching(answer) : answer;
        long call = answer == Answer.NOBODY ? 0 : calls.next();
        byte[] frame = InboxFrame.newBuilder()
                .setAttachment(CommandCodec.encode(command, calls.nowMillis())
                        .setCall(call)
                        .setAttachment(number))
                .build()
                .toByteArray();
        if (call != 0 && !calls.sender().fits(frame.length)) { // frames without an answer are small
            answer.fail(calls.tooLarge());
            return;
        }
        RangeException cause;
        boolean mayDetachLate;
        synchronized (this) {
            cause = over;
            mayDetachLate = isDetachedLate;
            isDetachedLate &= !(command instanceof AttachmentCommand.Detach);
            if (cause == null) {
                if (call != 0) {
                    calls.register(call, waiting);
                }
                calls.sender().send(frame);
            }
        }
        if (cause != null && mayDetachLate && command instanceof AttachmentCommand.Detach end) {
            calls.ask(
                    new SessionCommand.DetachLate(inbox, incarnation, end.expirySeconds(), end.publishWill()),
                    new Failing(answer, cause));
        } else if (cause != null) {
            answer.fail(cause);
        } else if (call != 0) {
            calls.failIfLost(call);
        }
    }

    /** No delivery reports an end that the connection itself asked for, so its answer ends the attachment. */
    private Answer detaching(Answer answer) {
        return new Answer() {
            @Override
            public void reply(InboxReply reply) {
                end(closed());
                answer.reply(reply);
            }

            @Override
            public void fail(RangeException cause) {
                if (cause.reason() != Cause.MOVED) { // on MOVED a delivery follows that ends it and must be received
                    end(closed());
                }
                answer.fail(cause);
            }
        };
    }

    @Override
    public void markDistributed(int packetId, long tokenNumber, Answer answer) {
        calls.ask(new SessionCommand.MarkDistributed(inbox, incarnation, packetId, tokenNumber), answer);
    }

    /** Fails the answer whatever the reply is, because another command has failed. */
    private record Failing(Answer answer, RangeException cause) implements Answer {
        @Override
        public void reply(InboxReply reply) {
            answer.fail(cause);
        }

        @Override
        public void fail(RangeException other) {
            answer.fail(cause);
        }
    }

    private static RangeException closed() {
        return new RangeException(Cause.CLOSED, "the attachment is over");
    }

    private static RangeException moved() {
        return new RangeException(Cause.MOVED, "another leader has followed");
    }
}
