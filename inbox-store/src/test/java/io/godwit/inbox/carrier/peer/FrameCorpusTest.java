package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.ReplyCodec;
import io.godwit.inbox.carrier.link.Versions;
import io.godwit.inbox.carrier.link.WireValues;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.AttachmentOver;
import io.godwit.inbox.wire.Delete;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.OrderOver;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The recorded frames of version 1: nodes of other releases send and expect them byte by byte. When a frame is added,
 * {@code -Dgodwit.corpus.write=FILE} writes all of them to that file; existing ones must not change.
 */
class FrameCorpusTest {
    private static final Corpus CORPUS = Corpus.of(FrameCorpusTest.class, "/inbox-frames-v1.properties");
    /** The encoding node's clock: the message is a minute old. */
    private static final long NOW_MILLIS = 1_700_000_060_000L;

    private static final ClientInfo CLIENT =
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), "user", "127.0.0.1:1000", 5);
    private static final ClientInfo NOBODY =
            new ClientInfo(new TenantId("t2"), new ClientId("d"), null, "127.0.0.1:1001", 4);
    private static final InboxId INBOX = InboxId.of(CLIENT);
    private static final Resend CHOSEN = new Resend() {
        @Override
        public boolean isAbandoned() {
            return false;
        }

        @Override
        public long servingSince() {
            return 300;
        }
    };
    private static final Message MESSAGE = new Message(
            "a/b",
            "text".getBytes(StandardCharsets.UTF_8),
            Qos.EXACTLY_ONCE,
            true,
            1_700_000_000_000L,
            new MessageProperties(1, 60, "type", "r", new byte[] {1}, List.of(new UserProperty("k", "v"))));
    private static final TopicFilter FILTER = new TopicFilter("group", "a/+");
    private static final StoredSubscription SUBSCRIPTION =
            new StoredSubscription(new TopicFilter(null, "a/#"), Qos.AT_LEAST_ONCE, true, true, 2, 7, "from");

    private final Map<String, byte[]> frames = new LinkedHashMap<>();

    private void session(String name, SessionCommand command, long attachment) {
        add(
                name,
                InboxFrame.newBuilder()
                        .setSession(CommandCodec.encode(command, NOW_MILLIS)
                                .setCall(9)
                                .setAttachment(attachment)));
    }

    private void attachment(String name, AttachmentCommand command) {
        add(
                name,
                InboxFrame.newBuilder()
                        .setAttachment(CommandCodec.encode(command, NOW_MILLIS)
                                .setCall(9)
                                .setAttachment(3)));
    }

    private void insert(String name, InsertRequest request, long order) {
        add(
                name,
                InboxFrame.newBuilder()
                        .setInsert(CommandCodec.encode(
                                        request, new long[request.targets().size()], NOW_MILLIS)
                                .setCall(9)
                                .setOrder(order)));
    }

    private void reply(String name, InboxReply reply) {
        add(
                "reply." + name,
                InboxFrame.newBuilder()
                        .setReply(ReplyCodec.encode(reply, NOW_MILLIS).setCall(9)));
    }

    private void delivery(String name, InboxDelivery delivery) {
        add(
                "delivery." + name,
                InboxFrame.newBuilder()
                        .setDelivery(ReplyCodec.encode(delivery, NOW_MILLIS).setAttachment(3)));
    }

    private void add(String name, InboxFrame.Builder frame) {
        assertThat(frames.put(name, frame.build().toByteArray())).isNull();
    }

    private void all() {
        frames.put("hello", Versions.hello(1));
        session("attach", new SessionCommand.Attach(new AttachRequest(CLIENT, true, 60, new Will(MESSAGE, 5))), 3);
        session("attach.plain", new SessionCommand.Attach(new AttachRequest(NOBODY, false, 0, null)), 3);
        session("continue", new SessionCommand.Continue(new ContinueRequest(CLIENT, 5, 70, new long[] {7, 9, 70})), 3);
        session("owner", new SessionCommand.Owner(NOBODY), 0);
        session("keepWill", new SessionCommand.KeepWill(CLIENT, 60, new Will(MESSAGE, 5), true), 0);
        session("markDistributed", new SessionCommand.MarkDistributed(INBOX, 5, 6, 7), 0);
        session("markKept", new SessionCommand.MarkKept(INBOX, 7, "digest"), 0);
        session("delete", SessionCommand.Delete.forClient(INBOX, Resend.ALWAYS), 0);
        session("delete.discarding", SessionCommand.Delete.discardingWill(INBOX, Resend.ALWAYS), 0);
        session("delete.forOperator", SessionCommand.Delete.forOperator(INBOX), 0);
        session("purge", new SessionCommand.Purge(INBOX), 0);
        session(
                "changeFilters.added",
                new SessionCommand.ChangeFilters(
                        INBOX,
                        true,
                        List.of(new StoredSubscription(FILTER, Qos.AT_LEAST_ONCE, true, true, 1, 9)),
                        List.of(),
                        Resend.ALWAYS),
                0);
        session(
                "changeFilters.removed",
                new SessionCommand.ChangeFilters(INBOX, false, List.of(), List.of(FILTER), Resend.ALWAYS),
                0);
        session("detachLate", new SessionCommand.DetachLate(INBOX, 5, -1, true), 0);

        attachment("request", new AttachmentCommand.Request(10));
        attachment("acknowledge", new AttachmentCommand.Acknowledge(new long[] {300, 5}));
        attachment("complete", new AttachmentCommand.Complete(8));
        attachment("received", new AttachmentCommand.Received(8));
        attachment("subscribe", new AttachmentCommand.Subscribe(List.of(SUBSCRIPTION, SUBSCRIPTION.owed(null))));
        attachment("unsubscribe", new AttachmentCommand.Unsubscribe(List.of(FILTER, SUBSCRIPTION.filter())));
        attachment(
                "replay",
                new AttachmentCommand.Replay(
                        new ReplayStep(FILTER, "", "to", MESSAGE, Qos.AT_MOST_ONCE, new int[] {7, 300})));
        attachment("replayed", new AttachmentCommand.Replayed(FILTER, "to"));
        attachment("receive", new AttachmentCommand.Receive(6, MESSAGE));
        attachment("release", new AttachmentCommand.Release(6));
        attachment("detach", new AttachmentCommand.Detach(-1, true, Long.MAX_VALUE));

        InsertRequest.Target plain =
                new InsertRequest.Target(new ClientId("c"), 5, Qos.AT_LEAST_ONCE, false, new int[0]);
        InsertRequest.Target shared = new InsertRequest.Target(
                new ClientId("d"), 6, Qos.EXACTLY_ONCE, true, new int[] {1}, FILTER.text(), true);
        insert("insert", new InsertRequest(TenantId.DEFAULT, MESSAGE, List.of(plain), null, 0, 0), 0);
        insert(
                "insert.token",
                new InsertRequest(
                        TenantId.DEFAULT, MESSAGE, List.of(plain, shared), "origin", 8, 4, true, null, Resend.ALWAYS),
                2);
        insert(
                "insert.chosen",
                new InsertRequest(TenantId.DEFAULT, MESSAGE, List.of(shared), "origin", 8, 4, false, null, CHOSEN),
                2);
        add(
                "insert.byView",
                InboxFrame.newBuilder()
                        .setInsert(CommandCodec.encode(
                                        new InsertRequest(
                                                TenantId.DEFAULT,
                                                MESSAGE,
                                                List.of(shared),
                                                "origin",
                                                8,
                                                4,
                                                true,
                                                null,
                                                Resend.ALWAYS),
                                        new long[1],
                                        NOW_MILLIS)
                                .setCall(9)
                                .setViewRevision(300)));
        add(
                "orderOver",
                InboxFrame.newBuilder().setOrderOver(OrderOver.newBuilder().setOrder(2)));
        add(
                "attachmentOver",
                InboxFrame.newBuilder()
                        .setAttachmentOver(AttachmentOver.newBuilder().setAttachment(3)));

        reply("done", InboxReply.DONE);
        reply("attached", new InboxReply.Attached(true, 5, List.of(SUBSCRIPTION), new int[] {6, 300}));
        InboxReply.Attached large = new InboxReply.Attached(
                true, 5, List.of(SUBSCRIPTION, SUBSCRIPTION.owed(null), SUBSCRIPTION), new int[] {6});
        List<Reply.Builder> parts = ReplyCodec.parts(large, 50, NOW_MILLIS);
        for (int i = 0; i < parts.size(); i++) {
            add(
                    "reply.attached.part" + i,
                    InboxFrame.newBuilder().setReply(parts.get(i).setCall(9)));
        }
        reply("flag.yes", InboxReply.Flag.of(true));
        reply("flag.no", InboxReply.Flag.of(false));
        reply("flags", new InboxReply.Flags(List.of(true, false)));
        reply("purged", new InboxReply.Purged(true, 300, 7));
        reply("purged.none", InboxReply.Purged.NO_SESSION);
        reply(
                "filtersChanged",
                new InboxReply.FiltersChanged(InboxReply.FiltersChanged.Outcome.DONE, 5, 7, List.of(true, false)));
        reply("filtersChanged.none", InboxReply.FiltersChanged.NO_SESSION);
        reply("filtersChanged.held", InboxReply.FiltersChanged.HELD);
        for (SessionOwner owner : SessionOwner.values()) {
            reply("owner." + owner, new InboxReply.Owner(owner));
        }
        for (ReplayOutcome outcome : ReplayOutcome.values()) {
            reply("replay." + outcome, new InboxReply.Replay(outcome));
        }
        reply("inbound", new InboxReply.Received(new InboxAttachment.Inbound(false, MESSAGE, "origin", 8, 4)));
        reply("inbound.distributed", new InboxReply.Received(new InboxAttachment.Inbound(true, null, "origin", 8, 4)));
        reply("inserted", new InboxReply.Inserted(List.of(InsertOutcome.values())));
        for (RangeException.Cause cause : RangeException.Cause.values()) {
            if (cause == RangeException.Cause.LOST) {
                continue; // leaders never send it
            }
            RangeException failure = new RangeException(cause, "since");
            add("failure." + cause, InboxFrame.newBuilder().setFailure(ReplyCodec.failure(9, failure)));
        }

        delivery("attaching", InboxDelivery.ATTACHING);
        delivery("detaching", InboxDelivery.DETACHING);
        InboxMessage first = new InboxMessage(70, 71, MESSAGE, Qos.AT_LEAST_ONCE, true, true, false, new int[] {7});
        InboxMessage second = new InboxMessage(71, 72, MESSAGE, Qos.EXACTLY_ONCE, false, false, true, new int[0]);
        delivery("messages", new InboxDelivery.Messages(List.of(first, second)));
        for (InboxListener.Reason reason : InboxListener.Reason.values()) {
            delivery("detached." + reason, new InboxDelivery.Detached(reason));
        }
    }

    @Test
    void framesAreWhatTheyWere() throws Exception {
        all();
        CORPUS.assertHasExactly(frames);
    }

    /** Checks each field too: a field lost in decoding would be missing in the re-encoded frame. */
    @Test
    void recordedFramesAreUnderstood() throws Exception {
        for (Map.Entry<String, byte[]> frame : CORPUS.recorded().entrySet()) {
            byte[] bytes = frame.getValue();
            assertThat(Frames.decodedAndEncoded(bytes)).as(frame.getKey()).isEqualTo(bytes);
        }
    }

    /** An older node does not send the field: its deletions are reported as before. */
    @Test
    void aDeletionWithoutTheFieldIsThatOfTheClient() throws Exception {
        SessionCall older = SessionCall.newBuilder()
                .setDelete(Delete.newBuilder().setInbox(WireValues.inbox(INBOX)))
                .build();
        assertThat(CommandCodec.decode(older, NOW_MILLIS))
                .isEqualTo(SessionCommand.Delete.forClient(INBOX, Resend.ALWAYS));
    }
}
