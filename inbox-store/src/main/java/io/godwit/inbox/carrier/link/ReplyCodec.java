package io.godwit.inbox.carrier.link;

import static io.godwit.inbox.carrier.link.WireValues.ints;
import static io.godwit.inbox.carrier.link.WireValues.message;

import com.google.protobuf.CodedOutputStream;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.wire.Attached;
import io.godwit.inbox.wire.AttachedPart;
import io.godwit.inbox.wire.DeliveredMessage;
import io.godwit.inbox.wire.Delivery;
import io.godwit.inbox.wire.DetachReason;
import io.godwit.inbox.wire.Done;
import io.godwit.inbox.wire.Failure;
import io.godwit.inbox.wire.FailureCause;
import io.godwit.inbox.wire.FiltersChanged;
import io.godwit.inbox.wire.FiltersOutcome;
import io.godwit.inbox.wire.Flags;
import io.godwit.inbox.wire.Inbound;
import io.godwit.inbox.wire.InsertOutcome;
import io.godwit.inbox.wire.Inserted;
import io.godwit.inbox.wire.Messages;
import io.godwit.inbox.wire.Purged;
import io.godwit.inbox.wire.ReplayOutcome;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionOwner;
import io.godwit.inbox.wire.Subscription;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Wire format of replies, failures and deliveries. For each {@code nowMillis} see {@link WireValues}. */
public final class ReplyCodec {
    private ReplyCodec() {}

    // --- replies

    /**
     * A reply in as many parts as needed, in order; the last is the reply itself. Only {@code Attached} may have
     * several, because a session may have any number of subscriptions.
     *
     * @param partBytes most bytes of subscriptions in one part; a single larger one has its own part
     */
    public static List<Reply.Builder> parts(InboxReply reply, int partBytes, long nowMillis) {
        return reply instanceof InboxReply.Attached attached
                ? attached(attached, partBytes)
                : List.of(encode(reply, nowMillis));
    }

    private static List<Reply.Builder> attached(InboxReply.Attached attached, int partBytes) {
        List<Reply.Builder> parts = new ArrayList<>(1);
        List<Subscription> page = new ArrayList<>();
        int bytes = 0;
        for (StoredSubscription each : attached.subscriptions()) {
            Subscription next = WireValues.subscription(each);
            int nextBytes = CodedOutputStream.computeMessageSize(Attached.SUBSCRIPTIONS_FIELD_NUMBER, next);
            if (!page.isEmpty() && nextBytes > partBytes - bytes) {
                parts.add(Reply.newBuilder()
                        .setAttachedPart(AttachedPart.newBuilder().addAllSubscriptions(page)));
                page.clear();
                bytes = 0;
            }
            page.add(next);
            bytes += nextBytes;
        }
        Attached.Builder last = Attached.newBuilder()
                .setSessionPresent(attached.sessionPresent())
                .setIncarnation(attached.incarnation())
                .setAttachNumber(attached.attachNumber())
                .addAllSubscriptions(page);
        for (int packetId : attached.inbound()) {
            last.addInbound(packetId);
        }
        parts.add(Reply.newBuilder().setAttached(last));
        return parts;
    }

    public static Reply.Builder encode(InboxReply reply, long nowMillis) {
        Reply.Builder out = Reply.newBuilder();
        if (reply instanceof InboxReply.Done) {
            return out.setDone(Done.getDefaultInstance());
        } else if (reply instanceof InboxReply.Attached attached) {
            return attached(attached, Integer.MAX_VALUE).get(0);
        } else if (reply instanceof InboxReply.Flag flag) {
            return out.setFlag(flag.isSet());
        } else if (reply instanceof InboxReply.Flags flags) {
            return out.setFlags(Flags.newBuilder().addAllFlags(flags.areSet()));
        } else if (reply instanceof InboxReply.Purged purged) {
            return out.setPurged(Purged.newBuilder()
                    .setHasSession(purged.hasSession())
                    .setMessages(purged.messages())
                    .setKept(purged.kept()));
        } else if (reply instanceof InboxReply.FiltersChanged changed) {
            return out.setFiltersChanged(FiltersChanged.newBuilder()
                    .setOutcome(
                            switch (changed.outcome()) {
                                case NO_SESSION -> FiltersOutcome.FILTERS_NO_SESSION;
                                case HELD -> FiltersOutcome.FILTERS_HELD;
                                case DONE -> FiltersOutcome.FILTERS_DONE;
                            })
                    .setIncarnation(changed.incarnation())
                    .setAttachNumber(changed.attachNumber())
                    .addAllFlags(changed.flags()));
        } else if (reply instanceof InboxReply.Owner owner) {
            return out.setOwner(
                    switch (owner.owner()) {
                        case NO_SESSION -> SessionOwner.NO_SESSION;
                        case SAME_USER -> SessionOwner.SAME_USER;
                        case NO_USER -> SessionOwner.NO_USER;
                        case OTHER_USER -> SessionOwner.OTHER_USER;
                    });
        } else if (reply instanceof InboxReply.Replay replay) {
            return out.setReplay(
                    switch (replay.outcome()) {
                        case STORED -> ReplayOutcome.REPLAY_STORED;
                        case OUTDATED -> ReplayOutcome.REPLAY_OUTDATED;
                        case FULL -> ReplayOutcome.REPLAY_FULL;
                        case BEHIND -> ReplayOutcome.REPLAY_BEHIND;
                    });
        } else if (reply instanceof InboxReply.Received received) {
            return out.setInbound(inbound(received.inbound(), nowMillis));
        } else if (reply instanceof InboxReply.Inserted inserted) {
            Inserted.Builder to = Inserted.newBuilder();
            inserted.outcomes().forEach(each -> to.addOutcomes(outcome(each)));
            return out.setInserted(to);
        } else if (reply instanceof InboxReply.InsertedInPart inserted) {
            Inserted.Builder to = Inserted.newBuilder();
            for (int i = 0; i < inserted.outcomes().size(); i++) {
                InsertOutcome without =
                        inserted.lost().contains(i) ? InsertOutcome.INSERT_LOST : InsertOutcome.INSERT_MOVED;
                to.addOutcomes(
                        inserted.outcomes().get(i).map(ReplyCodec::outcome).orElse(without));
            }
            return out.setInserted(to);
        }
        throw new IllegalStateException("no wire form for " + reply);
    }

    private static Inbound inbound(InboxAttachment.Inbound inbound, long nowMillis) {
        Inbound.Builder out = Inbound.newBuilder()
                .setIsDistributed(inbound.isDistributed())
                .setTokenOrigin(inbound.tokenOrigin())
                .setTokenNumber(inbound.tokenNumber())
                .setTokenFinishedBelow(inbound.tokenFinishedBelow());
        if (inbound.message() != null) {
            out.setMessage(message(inbound.message(), nowMillis));
        }
        return out.build();
    }

    private static InsertOutcome outcome(io.godwit.inbox.client.InsertOutcome outcome) {
        return switch (outcome) {
            case STORED -> InsertOutcome.INSERT_STORED;
            case ALREADY_THERE -> InsertOutcome.INSERT_ALREADY_THERE;
            case DROPPED -> InsertOutcome.INSERT_DROPPED;
            case DECLINED -> InsertOutcome.INSERT_DECLINED;
            case NO_SESSION -> InsertOutcome.INSERT_NO_SESSION;
        };
    }

    /** Also throws {@link IllegalArgumentException}, for invalid values. */
    public static InboxReply decode(Reply in, long nowMillis) throws FrameException {
        return switch (in.getReplyCase()) {
            case DONE -> InboxReply.DONE;
            case ATTACHED ->
                new InboxReply.Attached(
                        in.getAttached().getSessionPresent(),
                        in.getAttached().getIncarnation(),
                        in.getAttached().getAttachNumber(),
                        WireValues.subscriptions(in.getAttached().getSubscriptionsList()),
                        ints(in.getAttached().getInboundCount(), in.getAttached()::getInbound));
            case ATTACHED_PART -> throw new FrameException("a part is no reply");
            case FLAG -> InboxReply.Flag.of(in.getFlag());
            case FLAGS -> new InboxReply.Flags(in.getFlags().getFlagsList());
            case PURGED ->
                new InboxReply.Purged(
                        in.getPurged().getHasSession(),
                        in.getPurged().getMessages(),
                        in.getPurged().getKept());
            case FILTERS_CHANGED -> changed(in.getFiltersChanged());
            case OWNER -> new InboxReply.Owner(owner(in.getOwner()));
            case REPLAY -> new InboxReply.Replay(replay(in.getReplay()));
            case INBOUND -> received(in.getInbound(), nowMillis);
            case INSERTED -> inserted(in.getInserted());
            case REPLY_NOT_SET -> throw new FrameException("a reply that is not known here");
        };
    }

    private static InboxReply changed(FiltersChanged in) throws FrameException {
        InboxReply.FiltersChanged.Outcome outcome = switch (in.getOutcome()) {
            case FILTERS_NO_SESSION -> InboxReply.FiltersChanged.Outcome.NO_SESSION;
            case FILTERS_HELD -> InboxReply.FiltersChanged.Outcome.HELD;
            case FILTERS_DONE -> InboxReply.FiltersChanged.Outcome.DONE;
            case FILTERS_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                throw new FrameException("an outcome of filters that is not known here");
        };
        return new InboxReply.FiltersChanged(outcome, in.getIncarnation(), in.getAttachNumber(), in.getFlagsList());
    }

    private static io.godwit.inbox.client.SessionOwner owner(SessionOwner in) throws FrameException {
        return switch (in) {
            case NO_SESSION -> io.godwit.inbox.client.SessionOwner.NO_SESSION;
            case SAME_USER -> io.godwit.inbox.client.SessionOwner.SAME_USER;
            case NO_USER -> io.godwit.inbox.client.SessionOwner.NO_USER;
            case OTHER_USER -> io.godwit.inbox.client.SessionOwner.OTHER_USER;
            case SESSION_OWNER_UNSPECIFIED, UNRECOGNIZED -> throw new FrameException("an owner not known here");
        };
    }

    private static io.godwit.inbox.client.ReplayOutcome replay(ReplayOutcome in) throws FrameException {
        return switch (in) {
            case REPLAY_STORED -> io.godwit.inbox.client.ReplayOutcome.STORED;
            case REPLAY_OUTDATED -> io.godwit.inbox.client.ReplayOutcome.OUTDATED;
            case REPLAY_FULL -> io.godwit.inbox.client.ReplayOutcome.FULL;
            case REPLAY_BEHIND -> io.godwit.inbox.client.ReplayOutcome.BEHIND;
            case REPLAY_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                throw new FrameException("an outcome of a replay not known here");
        };
    }

    private static InboxReply received(Inbound in, long nowMillis) {
        return new InboxReply.Received(new InboxAttachment.Inbound(
                in.getIsDistributed(),
                in.hasMessage() ? message(in.getMessage(), nowMillis) : null,
                in.getTokenOrigin(),
                in.getTokenNumber(),
                in.getTokenFinishedBelow()));
    }

    private static InboxReply inserted(Inserted in) throws FrameException {
        List<Optional<io.godwit.inbox.client.InsertOutcome>> outcomes = new ArrayList<>(in.getOutcomesCount());
        Set<Integer> lost = new HashSet<>();
        boolean isWhole = true;
        for (InsertOutcome each : in.getOutcomesList()) {
            if (each == InsertOutcome.INSERT_LOST) {
                lost.add(outcomes.size());
            }
            isWhole &= each != InsertOutcome.INSERT_MOVED && each != InsertOutcome.INSERT_LOST;
            outcomes.add(outcome(each));
        }
        return isWhole
                ? new InboxReply.Inserted(
                        outcomes.stream().map(Optional::orElseThrow).toList())
                : new InboxReply.InsertedInPart(outcomes, lost);
    }

    private static Optional<io.godwit.inbox.client.InsertOutcome> outcome(InsertOutcome in) throws FrameException {
        return switch (in) {
            case INSERT_STORED -> Optional.of(io.godwit.inbox.client.InsertOutcome.STORED);
            case INSERT_ALREADY_THERE -> Optional.of(io.godwit.inbox.client.InsertOutcome.ALREADY_THERE);
            case INSERT_DROPPED -> Optional.of(io.godwit.inbox.client.InsertOutcome.DROPPED);
            case INSERT_DECLINED -> Optional.of(io.godwit.inbox.client.InsertOutcome.DECLINED);
            case INSERT_NO_SESSION -> Optional.of(io.godwit.inbox.client.InsertOutcome.NO_SESSION);
            case INSERT_MOVED, INSERT_LOST -> Optional.empty();
            case INSERT_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                throw new FrameException("an outcome of an insert not known here");
        };
    }

    // --- failures

    public static Failure failure(long call, RangeException cause) {
        FailureCause reason = switch (cause.reason()) {
            case TIMEOUT -> FailureCause.TIMEOUT;
            case LOST -> FailureCause.LOST;
            case OVERLOADED -> FailureCause.OVERLOADED;
            case DISK_FULL -> FailureCause.DISK_FULL;
            case TOO_LARGE -> FailureCause.TOO_LARGE;
            case STORE_FAILED -> FailureCause.STORE_FAILED;
            case MOVED -> FailureCause.MOVED;
            case CLOSED -> FailureCause.CLOSED;
        };
        return Failure.newBuilder()
                .setCall(call)
                .setCause(reason)
                .setDetail(cause.detail())
                .build();
    }

    public static RangeException failure(Failure in) throws FrameException {
        RangeException.Cause cause = switch (in.getCause()) {
            case TIMEOUT -> RangeException.Cause.TIMEOUT;
            case OVERLOADED -> RangeException.Cause.OVERLOADED;
            case DISK_FULL -> RangeException.Cause.DISK_FULL;
            case TOO_LARGE -> RangeException.Cause.TOO_LARGE;
            case STORE_FAILED -> RangeException.Cause.STORE_FAILED;
            case MOVED -> RangeException.Cause.MOVED;
            case CLOSED -> RangeException.Cause.CLOSED;
            case LOST -> RangeException.Cause.LOST;
            case FAILURE_CAUSE_UNSPECIFIED, UNRECOGNIZED -> throw new FrameException("a failure not known here");
        };
        return new RangeException(cause, in.getDetail());
    }

    // --- deliveries

    /**
     * Messages in as many parts as needed, in order.
     *
     * @param partBytes most bytes of messages in one part; a single larger one has its own part
     */
    public static List<Delivery.Builder> parts(List<InboxMessage> messages, int partBytes, long nowMillis) {
        List<Delivery.Builder> parts = new ArrayList<>(1);
        Messages.Builder part = Messages.newBuilder();
        int bytes = 0;
        for (InboxMessage each : messages) {
            DeliveredMessage next = WireValues.delivered(each, nowMillis);
            int nextBytes = CodedOutputStream.computeMessageSize(Messages.MESSAGES_FIELD_NUMBER, next);
            if (part.getMessagesCount() > 0 && nextBytes > partBytes - bytes) {
                parts.add(Delivery.newBuilder().setMessages(part));
                part = Messages.newBuilder();
                bytes = 0;
            }
            part.addMessages(next);
            bytes += nextBytes;
        }
        parts.add(Delivery.newBuilder().setMessages(part));
        return parts;
    }

    public static Delivery.Builder encode(InboxDelivery delivery, long nowMillis) {
        Delivery.Builder out = Delivery.newBuilder();
        if (delivery instanceof InboxDelivery.Messages messages) {
            return parts(messages.messages(), Integer.MAX_VALUE, nowMillis).get(0);
        } else if (delivery instanceof InboxDelivery.Attaching) {
            return out.setAttaching(Done.getDefaultInstance());
        } else if (delivery instanceof InboxDelivery.Detaching) {
            return out.setDetaching(Done.getDefaultInstance());
        } else if (delivery instanceof InboxDelivery.Detached detached) {
            return out.setDetached(
                    switch (detached.reason()) {
                        case TAKEN_OVER -> DetachReason.TAKEN_OVER;
                        case DELETED -> DetachReason.DELETED;
                        case MOVED -> DetachReason.MOVED_TO_ANOTHER_LEADER;
                        case UNAVAILABLE -> DetachReason.UNAVAILABLE;
                        case LOST -> DetachReason.LEADERSHIP_LOST;
                    });
        }
        throw new IllegalStateException("no wire form for " + delivery);
    }

    /** Also throws {@link IllegalArgumentException}, for invalid values. */
    public static InboxDelivery decode(Delivery in, long nowMillis) throws FrameException {
        return switch (in.getDeliveryCase()) {
            case ATTACHING -> InboxDelivery.ATTACHING;
            case DETACHING -> InboxDelivery.DETACHING;
            case MESSAGES -> messages(in.getMessages(), nowMillis);
            case DETACHED -> new InboxDelivery.Detached(reason(in.getDetached()));
            case DELIVERY_NOT_SET -> throw new FrameException("a delivery that is not known here");
        };
    }

    private static InboxDelivery messages(Messages in, long nowMillis) {
        List<InboxMessage> out = new ArrayList<>(in.getMessagesCount());
        in.getMessagesList().forEach(each -> out.add(WireValues.delivered(each, nowMillis)));
        return new InboxDelivery.Messages(out);
    }

    private static InboxListener.Reason reason(DetachReason in) throws FrameException {
        return switch (in) {
            case TAKEN_OVER -> InboxListener.Reason.TAKEN_OVER;
            case DELETED -> InboxListener.Reason.DELETED;
            case MOVED_TO_ANOTHER_LEADER -> InboxListener.Reason.MOVED;
            case UNAVAILABLE -> InboxListener.Reason.UNAVAILABLE;
            case LEADERSHIP_LOST -> InboxListener.Reason.LOST;
            case DETACH_REASON_UNSPECIFIED, UNRECOGNIZED ->
                throw new FrameException("an end of an attachment not known here");
        };
    }
}
