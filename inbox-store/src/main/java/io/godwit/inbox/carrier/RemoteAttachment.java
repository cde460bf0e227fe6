package io.godwit.inbox.carrier;

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
import org.jspecify.annotations.Nullable;

/**
 * An attachment whose leader is on another node, at the edge. Commands are posted by the connection's thread; answers
 * and deliveries come on the link's.
 *
 * <p>Its end is told to the other node once: what was posted before is answered there, what comes later fails here. The
 * lock keeps a command that is being posted from coming behind the end; it is held while one frame is handed over.
 */
final class RemoteAttachment implements AttachmentPort {
    private final RemoteCarrier carrier;
    private final long number;
    private final InboxId inbox;
    private final DeliveryStream deliveries;
    /** Written before the connection is told of the attachment. */
    private long incarnation;
    /** The connection has it. Written by the thread that receives, read by the one that tells of the link's end. */
    private volatile boolean isOpened;
    /** What commands fail with since it is over; null before. Under the lock. */
    private @Nullable RangeException over;
    /** Its end says that the store could not serve it, so how the connection ends still counts. Under the lock. */
    private boolean isDetachedLate;

    RemoteAttachment(RemoteCarrier carrier, long number, InboxId inbox, DeliveryStream deliveries) {
        this.carrier = carrier;
        this.number = number;
        this.inbox = inbox;
        this.deliveries = deliveries;
    }

    long number() {
        return number;
    }

    // --- from the leader

    /** Who waits for the answer to the command that opens it. */
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

    /** Nothing comes any more; who waits for it to be opened is told by the failure of that. */
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
            // what comes later is not sent: if its connection goes on, it asks the next leader
            boolean goesOn =
                    detached.reason() == InboxListener.Reason.MOVED || detached.reason() == InboxListener.Reason.LOST;
            end(goesOn ? moved() : closed());
        }
        deliveries.next(delivery);
    }

    /** No command is sent any more. */
    private synchronized void end(RangeException cause) {
        if (over == null) {
            over = cause;
            carrier.forget(this);
            carrier.sender()
                    .sendSmall(InboxFrame.newBuilder()
                            .setAttachmentOver(AttachmentOver.newBuilder().setAttachment(number)));
        }
    }

    // --- from the connection

    @Override
    public void post(AttachmentCommand command, Answer answer) {
        Answer waiting = command instanceof AttachmentCommand.Detach ? detaching(answer) : answer;
        long call = answer == Answer.NOBODY ? 0 : carrier.nextCall();
        byte[] frame = InboxFrame.newBuilder()
                .setAttachment(CommandCodec.encode(command, carrier.nowMillis())
                        .setCall(call)
                        .setAttachment(number))
                .build()
                .toByteArray();
        if (call != 0 && !carrier.sender().fits(frame.length)) { // those without an answer are small
            answer.fail(carrier.tooLarge());
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
                    carrier.register(call, waiting);
                }
                carrier.sender().send(frame);
            }
        }
        if (cause != null && mayDetachLate && command instanceof AttachmentCommand.Detach end) {
            carrier.ask(
                    new SessionCommand.DetachLate(inbox, incarnation, end.expirySeconds(), end.publishWill()),
                    null,
                    new Failing(answer, cause));
        } else if (cause != null) {
            answer.fail(cause);
        } else if (call != 0) {
            carrier.failIfLost(call);
        }
    }

    /** The connection's own end of it is not told by a delivery. */
    private Answer detaching(Answer answer) {
        return new Answer() {
            @Override
            public void reply(InboxReply reply) {
                end(closed());
                answer.reply(reply);
            }

            @Override
            public void fail(RangeException cause) {
                if (cause.reason() != Cause.MOVED) { // else its end is told behind it, and must be heard
                    end(closed());
                }
                answer.fail(cause);
            }
        };
    }

    @Override
    public void markDistributed(int packetId, long tokenNumber, Answer answer) {
        carrier.markDistributed(inbox, incarnation, packetId, tokenNumber, answer);
    }

    /** Whatever becomes of one command, another one has failed. */
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
