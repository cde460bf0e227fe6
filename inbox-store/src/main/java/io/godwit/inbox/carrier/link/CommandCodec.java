package io.godwit.inbox.carrier.link;

import static io.godwit.inbox.carrier.link.WireValues.client;
import static io.godwit.inbox.carrier.link.WireValues.filter;
import static io.godwit.inbox.carrier.link.WireValues.inbox;
import static io.godwit.inbox.carrier.link.WireValues.ints;
import static io.godwit.inbox.carrier.link.WireValues.message;
import static io.godwit.inbox.carrier.link.WireValues.will;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.Acknowledge;
import io.godwit.inbox.wire.Attach;
import io.godwit.inbox.wire.AttachmentCall;
import io.godwit.inbox.wire.ChangeFilters;
import io.godwit.inbox.wire.Complete;
import io.godwit.inbox.wire.Continue;
import io.godwit.inbox.wire.Delete;
import io.godwit.inbox.wire.Detach;
import io.godwit.inbox.wire.DetachLate;
import io.godwit.inbox.wire.InsertCall;
import io.godwit.inbox.wire.KeepWill;
import io.godwit.inbox.wire.MarkDistributed;
import io.godwit.inbox.wire.MarkKept;
import io.godwit.inbox.wire.Owner;
import io.godwit.inbox.wire.Purge;
import io.godwit.inbox.wire.Receive;
import io.godwit.inbox.wire.Received;
import io.godwit.inbox.wire.Release;
import io.godwit.inbox.wire.Replay;
import io.godwit.inbox.wire.Replayed;
import io.godwit.inbox.wire.Request;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.inbox.wire.Subscribe;
import io.godwit.inbox.wire.Target;
import io.godwit.inbox.wire.Unsubscribe;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Wire format of commands. For each {@code nowMillis} see {@link WireValues}. */
public final class CommandCodec {
    private CommandCodec() {}

    // --- about a session

    public static SessionCall.Builder encode(SessionCommand command, long nowMillis) {
        SessionWriter out = new SessionWriter(nowMillis);
        command.choose(out);
        return out.call;
    }

    private static final class SessionWriter implements SessionCommand.Cases {
        final SessionCall.Builder call = SessionCall.newBuilder();
        private final long nowMillis;

        SessionWriter(long nowMillis) {
            this.nowMillis = nowMillis;
        }

        @Override
        public void attach(SessionCommand.Attach command) {
            AttachRequest request = command.request();
            Attach.Builder out = Attach.newBuilder()
                    .setClient(client(request.client()))
                    .setCleanStart(request.cleanStart())
                    .setExpirySeconds(request.expirySeconds())
                    .setAttempt(request.attempt());
            if (request.will() != null) {
                out.setWill(will(request.will(), nowMillis));
            }
            call.setAttach(out);
        }

        @Override
        public void goOn(SessionCommand.Continue command) {
            ContinueRequest request = command.request();
            Continue.Builder out = Continue.newBuilder()
                    .setClient(client(request.client()))
                    .setIncarnation(request.incarnation())
                    .setAttachNumber(request.attachNumber())
                    .setSentUpTo(request.sentUpTo());
            long before = 0;
            for (long sequence : request.unanswered()) {
                out.addUnanswered(sequence - before);
                before = sequence;
            }
            call.setGoOn(out);
        }

        @Override
        public void owner(SessionCommand.Owner command) {
            call.setOwner(Owner.newBuilder().setClient(client(command.client())));
        }

        @Override
        public void keepWill(SessionCommand.KeepWill command) {
            call.setKeepWill(KeepWill.newBuilder()
                    .setClient(client(command.client()))
                    .setExpirySeconds(command.expirySeconds())
                    .setWill(will(command.will(), nowMillis))
                    .setIsRecorded(command.isRecorded()));
        }

        @Override
        public void markDistributed(SessionCommand.MarkDistributed command) {
            call.setMarkDistributed(MarkDistributed.newBuilder()
                    .setInbox(inbox(command.inbox()))
                    .setIncarnation(command.incarnation())
                    .setPacketId(command.packetId())
                    .setTokenNumber(command.tokenNumber()));
        }

        @Override
        public void markKept(SessionCommand.MarkKept command) {
            call.setMarkKept(MarkKept.newBuilder()
                    .setInbox(inbox(command.inbox()))
                    .setTokenNumber(command.tokenNumber())
                    .setOriginDigest(command.originDigest()));
        }

        @Override
        public void delete(SessionCommand.Delete command) {
            call.setDelete(Delete.newBuilder()
                    .setInbox(inbox(command.inbox()))
                    .setDiscardsWill(command.discardsWill())
                    .setForOperator(command.isForOperator()));
        }

        @Override
        public void purge(SessionCommand.Purge command) {
            call.setPurge(Purge.newBuilder().setInbox(inbox(command.inbox())));
        }

        @Override
        public void changeFilters(SessionCommand.ChangeFilters command) {
            ChangeFilters.Builder out = ChangeFilters.newBuilder()
                    .setInbox(inbox(command.inbox()))
                    .setCountsAttachment(command.countsAttachment());
            command.added().forEach(each -> out.addAdded(WireValues.subscription(each)));
            command.removed().forEach(each -> out.addRemoved(each.text()));
            call.setChangeFilters(out);
        }

        @Override
        public void detachLate(SessionCommand.DetachLate command) {
            call.setDetachLate(DetachLate.newBuilder()
                    .setInbox(inbox(command.inbox()))
                    .setIncarnation(command.incarnation())
                    .setExpirySeconds(command.expirySeconds())
                    .setPublishWill(command.publishWill()));
        }
    }

    /** Also throws {@link IllegalArgumentException}, for invalid values. */
    public static SessionCommand decode(SessionCall call, long nowMillis) throws FrameException {
        return switch (call.getCommandCase()) {
            case ATTACH -> attach(call.getAttach(), nowMillis);
            case GO_ON -> goOn(call.getGoOn());
            case OWNER -> new SessionCommand.Owner(client(call.getOwner().getClient()));
            case KEEP_WILL -> keepWill(call.getKeepWill(), nowMillis);
            case MARK_DISTRIBUTED -> markDistributed(call.getMarkDistributed());
            case MARK_KEPT ->
                new SessionCommand.MarkKept(
                        inbox(call.getMarkKept().getInbox()),
                        call.getMarkKept().getTokenNumber(),
                        call.getMarkKept().getOriginDigest());
            case DELETE ->
                new SessionCommand.Delete(
                        inbox(call.getDelete().getInbox()),
                        call.getDelete().getDiscardsWill(),
                        call.getDelete().getForOperator(),
                        Resend.ALWAYS);
            case PURGE -> new SessionCommand.Purge(inbox(call.getPurge().getInbox()));
            case CHANGE_FILTERS ->
                new SessionCommand.ChangeFilters(
                        inbox(call.getChangeFilters().getInbox()),
                        call.getChangeFilters().getCountsAttachment(),
                        WireValues.subscriptions(call.getChangeFilters().getAddedList()),
                        filters(call.getChangeFilters().getRemovedList()),
                        Resend.ALWAYS);
            case DETACH_LATE -> detachLate(call.getDetachLate());
            case COMMAND_NOT_SET -> throw new FrameException("a command about a session that is not known here");
        };
    }

    private static SessionCommand attach(Attach in, long nowMillis) {
        return new SessionCommand.Attach(new AttachRequest(
                client(in.getClient()),
                in.getCleanStart(),
                in.getExpirySeconds(),
                in.hasWill() ? will(in.getWill(), nowMillis) : null,
                in.getAttempt(),
                Resend.ALWAYS));
    }

    private static SessionCommand goOn(Continue in) {
        long[] unanswered = new long[in.getUnansweredCount()];
        long before = 0;
        for (int i = 0; i < unanswered.length; i++) {
            before += in.getUnanswered(i);
            unanswered[i] = before;
        }
        return new SessionCommand.Continue(new ContinueRequest(
                client(in.getClient()), in.getIncarnation(), in.getAttachNumber(), in.getSentUpTo(), unanswered));
    }

    private static SessionCommand keepWill(KeepWill in, long nowMillis) {
        return new SessionCommand.KeepWill(
                client(in.getClient()), in.getExpirySeconds(), will(in.getWill(), nowMillis), in.getIsRecorded());
    }

    private static SessionCommand markDistributed(MarkDistributed in) {
        return new SessionCommand.MarkDistributed(
                inbox(in.getInbox()), in.getIncarnation(), in.getPacketId(), in.getTokenNumber());
    }

    private static SessionCommand detachLate(DetachLate in) {
        return new SessionCommand.DetachLate(
                inbox(in.getInbox()), in.getIncarnation(), in.getExpirySeconds(), in.getPublishWill());
    }

    // --- to an attachment

    public static AttachmentCall.Builder encode(AttachmentCommand command, long nowMillis) {
        AttachmentWriter out = new AttachmentWriter(nowMillis);
        command.choose(out, Answer.NOBODY);
        return out.call;
    }

    private static final class AttachmentWriter implements AttachmentCommand.Cases {
        final AttachmentCall.Builder call = AttachmentCall.newBuilder();
        private final long nowMillis;

        AttachmentWriter(long nowMillis) {
            this.nowMillis = nowMillis;
        }

        @Override
        public void request(AttachmentCommand.Request command) {
            call.setRequest(Request.newBuilder().setMessages(command.messages()));
        }

        @Override
        public void acknowledge(AttachmentCommand.Acknowledge command) {
            Acknowledge.Builder out = Acknowledge.newBuilder();
            for (long sequence : command.sequences()) {
                out.addSequences(sequence);
            }
            call.setAcknowledge(out);
        }

        @Override
        public void complete(AttachmentCommand.Complete command) {
            call.setComplete(Complete.newBuilder().setSequence(command.sequence()));
        }

        @Override
        public void received(AttachmentCommand.Received command, Answer answer) {
            call.setReceived(Received.newBuilder().setSequence(command.sequence()));
        }

        @Override
        public void subscribe(AttachmentCommand.Subscribe command, Answer answer) {
            Subscribe.Builder out = Subscribe.newBuilder();
            command.subscriptions().forEach(each -> out.addSubscriptions(WireValues.subscription(each)));
            call.setSubscribe(out);
        }

        @Override
        public void unsubscribe(AttachmentCommand.Unsubscribe command, Answer answer) {
            Unsubscribe.Builder out = Unsubscribe.newBuilder();
            command.filters().forEach(each -> out.addFilters(each.text()));
            call.setUnsubscribe(out);
        }

        @Override
        public void replay(AttachmentCommand.Replay command, Answer answer) {
            ReplayStep step = command.step();
            Replay.Builder out = Replay.newBuilder()
                    .setFilter(step.filter().text())
                    .setFrom(step.from())
                    .setTo(step.to())
                    .setMessage(message(step.message(), nowMillis))
                    .setQos(step.qos().value());
            for (int id : step.subscriptionIds()) {
                out.addSubscriptionIds(id);
            }
            call.setReplay(out);
        }

        @Override
        public void replayed(AttachmentCommand.Replayed command, Answer answer) {
            call.setReplayed(
                    Replayed.newBuilder().setFilter(command.filter().text()).setTo(command.to()));
        }

        @Override
        public void receive(AttachmentCommand.Receive command, Answer answer) {
            call.setReceive(Receive.newBuilder()
                    .setPacketId(command.packetId())
                    .setMessage(message(command.message(), nowMillis)));
        }

        @Override
        public void release(AttachmentCommand.Release command, Answer answer) {
            call.setRelease(Release.newBuilder().setPacketId(command.packetId()));
        }

        @Override
        public void detach(AttachmentCommand.Detach command, Answer answer) {
            call.setDetach(Detach.newBuilder()
                    .setExpirySeconds(command.expirySeconds())
                    .setPublishWill(command.publishWill())
                    .setSentBelow(command.sentBelow()));
        }
    }

    /** Also throws {@link IllegalArgumentException}, for invalid values. */
    public static AttachmentCommand decode(AttachmentCall call, long nowMillis) throws FrameException {
        return switch (call.getCommandCase()) {
            case REQUEST -> new AttachmentCommand.Request(call.getRequest().getMessages());
            case ACKNOWLEDGE -> acknowledge(call.getAcknowledge());
            case COMPLETE -> new AttachmentCommand.Complete(call.getComplete().getSequence());
            case RECEIVED -> new AttachmentCommand.Received(call.getReceived().getSequence());
            case SUBSCRIBE ->
                new AttachmentCommand.Subscribe(
                        WireValues.subscriptions(call.getSubscribe().getSubscriptionsList()));
            case UNSUBSCRIBE ->
                new AttachmentCommand.Unsubscribe(filters(call.getUnsubscribe().getFiltersList()));
            case REPLAY -> replay(call.getReplay(), nowMillis);
            case REPLAYED ->
                new AttachmentCommand.Replayed(
                        filter(call.getReplayed().getFilter()),
                        call.getReplayed().getTo());
            case RECEIVE ->
                new AttachmentCommand.Receive(
                        call.getReceive().getPacketId(),
                        message(call.getReceive().getMessage(), nowMillis));
            case RELEASE -> new AttachmentCommand.Release(call.getRelease().getPacketId());
            case DETACH ->
                new AttachmentCommand.Detach(
                        call.getDetach().getExpirySeconds(),
                        call.getDetach().getPublishWill(),
                        call.getDetach().getSentBelow());
            case COMMAND_NOT_SET -> throw new FrameException("a command of an attachment that is not known here");
        };
    }

    private static AttachmentCommand acknowledge(Acknowledge in) {
        long[] sequences = new long[in.getSequencesCount()];
        Arrays.setAll(sequences, in::getSequences);
        return new AttachmentCommand.Acknowledge(sequences);
    }

    private static List<TopicFilter> filters(List<String> in) {
        List<TopicFilter> out = new ArrayList<>(in.size());
        in.forEach(each -> out.add(filter(each)));
        return out;
    }

    private static AttachmentCommand replay(Replay in, long nowMillis) {
        return new AttachmentCommand.Replay(new ReplayStep(
                filter(in.getFilter()),
                in.getFrom(),
                in.getTo(),
                message(in.getMessage(), nowMillis),
                Qos.of(in.getQos()),
                ints(in.getSubscriptionIdsCount(), in::getSubscriptionIds)));
    }

    // --- inserts

    /**
     * Without the order, which the carrier numbers, and without the view revision of a query.
     *
     * @param rounds one for each target
     */
    public static InsertCall.Builder encode(InsertRequest request, long[] rounds, long nowMillis) {
        InsertCall.Builder out = InsertCall.newBuilder()
                .setTenant(request.tenant().value())
                .setMessage(message(request.message(), nowMillis))
                .setTokenNumber(request.tokenNumber())
                .setTokenFinishedBelow(request.tokenFinishedBelow())
                .setOnlyAsks(request.onlyAsks())
                .setServingSince(request.resend().servingSince());
        String origin = request.tokenOrigin();
        if (origin != null) {
            out.setTokenOrigin(origin);
        }
        int number = 0;
        for (InsertRequest.Target target : request.targets()) {
            Target.Builder to = Target.newBuilder()
                    .setRound(rounds[number++])
                    .setClientId(target.clientId().value())
                    .setIncarnation(target.incarnation())
                    .setQos(target.qos().value())
                    .setRetain(target.retain())
                    .setMayDecline(target.mayDecline());
            for (int id : target.subscriptionIds()) {
                to.addSubscriptionIds(id);
            }
            String shared = target.sharedFilter();
            if (shared != null) {
                to.setSharedFilter(shared);
            }
            out.addTargets(to);
        }
        return out;
    }

    public static long[] rounds(InsertCall in) {
        long[] rounds = new long[in.getTargetsCount()];
        Arrays.setAll(rounds, i -> in.getTargets(i).getRound());
        return rounds;
    }

    /**
     * Without the order. Throws {@link IllegalArgumentException} for invalid values.
     *
     * @param resend whether leaders may carry it out
     */
    public static InsertRequest decode(InsertCall in, long nowMillis, Resend resend) {
        List<InsertRequest.Target> targets = new ArrayList<>(in.getTargetsCount());
        for (Target each : in.getTargetsList()) {
            targets.add(new InsertRequest.Target(
                    new ClientId(each.getClientId()),
                    each.getIncarnation(),
                    Qos.of(each.getQos()),
                    each.getRetain(),
                    ints(each.getSubscriptionIdsCount(), each::getSubscriptionIds),
                    WireValues.textOrNull(each.hasSharedFilter(), each.getSharedFilter()),
                    each.getMayDecline()));
        }
        return new InsertRequest(
                new TenantId(in.getTenant()),
                message(in.getMessage(), nowMillis),
                targets,
                WireValues.textOrNull(in.hasTokenOrigin(), in.getTokenOrigin()),
                in.getTokenNumber(),
                in.getTokenFinishedBelow(),
                in.getOnlyAsks(),
                null,
                resend);
    }

    /** The same request with an order of this node. */
    public static InsertRequest ordered(InsertRequest request, RequestOrder order) {
        return new InsertRequest(
                request.tenant(),
                request.message(),
                request.targets(),
                request.tokenOrigin(),
                request.tokenNumber(),
                request.tokenFinishedBelow(),
                request.onlyAsks(),
                order,
                request.resend());
    }
}
