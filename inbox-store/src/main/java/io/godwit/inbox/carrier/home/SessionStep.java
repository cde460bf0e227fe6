package io.godwit.inbox.carrier.home;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A command about a session on its way to a home, and the receiver of the home's answer. */
final class SessionStep extends HomeStep implements Answer {
    /** Large enough that two connections of one client id practically never get the same name. */
    private static final long MOST_NAMES = 1L << 56;

    private final HomeFlows flows;
    private final SessionCommand command;
    private final @Nullable Opening opening;
    private final Answer answer;

    SessionStep(HomeFlows flows, SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        super(command.inbox());
        this.flows = flows;
        this.command = named(command);
        this.opening = deliveries == null ? null : new Opening(deliveries);
        this.answer = answer;
    }

    /** Names an attach, because it may be sent to several homes, each of which may carry it out. */
    private static SessionCommand named(SessionCommand command) {
        return command instanceof SessionCommand.Attach attach
                ? new SessionCommand.Attach(
                        attach.request().named(ThreadLocalRandom.current().nextLong(1, MOST_NAMES)))
                : command;
    }

    @Override
    void send(InboxHome home, long round) {
        home.ask(command, round, opening, this);
    }

    @Override
    int bytes() {
        return OVERHEAD_BYTES;
    }

    @Override
    boolean isMessage() {
        return false;
    }

    /** A later connection may have the session by now. */
    @Override
    boolean isAbandoned() {
        if (command instanceof SessionCommand.Attach attach) {
            return attach.request().resend().isAbandoned();
        }
        if (command instanceof SessionCommand.Purge purge) {
            return purge.resend().isAbandoned();
        }
        if (command instanceof SessionCommand.ChangeFilters change) {
            return change.resend().isAbandoned();
        }
        return command instanceof SessionCommand.Delete delete
                && delete.resend().isAbandoned();
    }

    @Override
    Runnable giveUp(RangeException cause) {
        return () -> answer.fail(cause);
    }

    @Override
    public void reply(InboxReply reply) {
        synchronized (flows) {
            flows.ended(this);
            flows.tellLater(() -> {
                answer.reply(reply);
                if (opening != null) {
                    opening.answered();
                }
            });
        }
        flows.tell();
    }

    @Override
    public void fail(RangeException cause) {
        if (opening != null) {
            opening.failed();
        }
        synchronized (flows) {
            if (mayRepeat(cause)) {
                flows.refused(this);
            } else {
                flows.failed(this);
                flows.tellLater(() -> answer.fail(cause));
            }
        }
        flows.tell();
    }

    /**
     * Whether the command may be sent again after this failure. {@code CLOSED} may also mean that it was carried out,
     * but an earlier write failed.
     */
    private boolean mayRepeat(RangeException cause) {
        if (opening != null && opening.isOpened) {
            return false;
        }
        return switch (cause.reason()) {
            case MOVED -> true;
            case CLOSED, LOST -> opening != null || isRepeatable();
            case TIMEOUT -> isRepeatable();
            case OVERLOADED, DISK_FULL, TOO_LARGE, STORE_FAILED -> false;
        };
    }

    /** Whether the command may be carried out twice. */
    private boolean isRepeatable() {
        return command instanceof SessionCommand.Owner
                || command instanceof SessionCommand.MarkDistributed
                || command instanceof SessionCommand.MarkKept
                || command instanceof SessionCommand.KeepWill
                || command instanceof SessionCommand.Delete
                || command instanceof SessionCommand.Purge
                || command instanceof SessionCommand.ChangeFilters
                || command instanceof SessionCommand.DetachLate;
    }

    /**
     * Notes whether a leader has made the attachment, and keeps its end until the command is answered. A leader that is
     * deposed before its commit reports the end of the attachment, and then the failure of the command. The connection
     * must not hear of that end: it does not have this attachment, and gets the one that the next leader makes. If the
     * command succeeds, the connection must hear of the end, and only after the answer: an attachment whose end it
     * missed would never answer it. The thread that gives the answer may be another one than the one that reports the
     * end.
     */
    private static final class Opening implements DeliveryStream {
        private final DeliveryStream deliveries;
        private volatile boolean isOpened;
        /** Whether the connection has the answer. Guarded by this. */
        private boolean isAnswered;
        /** An end that came before the answer. Guarded by this. */
        private InboxDelivery.@Nullable Detached early;

        Opening(DeliveryStream deliveries) {
            this.deliveries = deliveries;
        }

        @Override
        public void opened(AttachmentPort port) {
            isOpened = true;
            deliveries.opened(port);
        }

        @Override
        public void next(InboxDelivery delivery) {
            if (delivery instanceof InboxDelivery.Detached detached) {
                synchronized (this) {
                    if (!isAnswered) {
                        early = detached;
                        return;
                    }
                }
            }
            deliveries.next(delivery);
        }

        /** The connection has the attachment. */
        void answered() {
            InboxDelivery.Detached missed;
            synchronized (this) {
                isAnswered = true;
                missed = early;
            }
            if (missed != null) {
                deliveries.next(missed);
            }
        }

        /** The connection does not have this attachment; the next leader may make another. */
        synchronized void failed() {
            early = null;
        }
    }
}
