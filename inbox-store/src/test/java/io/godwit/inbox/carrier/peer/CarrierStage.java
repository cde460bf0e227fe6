package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A link between two nodes, with leaders played by the test at one end and an edge at the other. One thread runs the
 * tasks of both.
 */
abstract class CarrierStage {
    static final ClientInfo CLIENT = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1000", 5);

    final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    final Leaders leaders = new Leaders();
    LinkedNodes nodes = limited(LinkedNodes.Limits.DEFAULT);
    InboxEdge edge = new InboxEdge(nodes);
    final Listener listener = new Listener();
    long edgeMillis = 1_700_000_000_000L;
    long leaderMillis = edgeMillis;

    /** Records commands; the test answers them. */
    static final class Leaders implements InboxCarrier {
        record Asked(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {}

        record Insert(InsertRequest request, Answer answer) {}

        final List<Asked> asked = new ArrayList<>();
        final List<Insert> inserts = new ArrayList<>();
        /** Thrown when a command comes; null for nothing. */
        @Nullable
        RuntimeException fault;

        @Override
        public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
            if (fault != null) {
                throw fault;
            }
            asked.add(new Asked(command, deliveries, answer));
        }

        @Override
        public void insert(InsertRequest request, Answer answer) {
            inserts.add(new Insert(request, answer));
        }
    }

    /** The leader's end of an attachment: answers every command. */
    static final class Port implements AttachmentPort {
        final List<AttachmentCommand> commands = new ArrayList<>();
        final List<Answer> answers = new ArrayList<>();

        @Override
        public void post(AttachmentCommand command, Answer answer) {
            commands.add(command);
            answers.add(answer);
        }

        @Override
        public void markDistributed(int packetId, long tokenNumber, Answer answer) {
            throw new AssertionError("is asked of the session");
        }
    }

    static final class Listener implements InboxListener {
        final List<InboxMessage> messages = new ArrayList<>();
        final List<Reason> ends = new ArrayList<>();

        @Override
        public void deliver(List<InboxMessage> delivered) {
            messages.addAll(delivered);
        }

        @Override
        public void detached(Reason reason) {
            ends.add(reason);
        }
    }

    LinkedNodes limited(LinkedNodes.Limits limits) {
        return new LinkedNodes(leaders, tasks::add, () -> edgeMillis, () -> leaderMillis, limits);
    }

    /** Sets other limits for all that follows. */
    void limit(int frameBytes, long servedBytes) {
        limit(new LinkedNodes.Limits(frameBytes, servedBytes, Long.MAX_VALUE));
    }

    void limit(LinkedNodes.Limits limits) {
        nodes = limited(limits);
        edge = new InboxEdge(nodes);
    }

    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    CompletableFuture<AttachReply> attach() {
        CompletableFuture<AttachReply> reply = edge.attach(new AttachRequest(CLIENT, false, 60, null), listener);
        run();
        return reply;
    }

    AttachReply attached(Port port) {
        CompletableFuture<AttachReply> reply = attach();
        Leaders.Asked asked = leaders.asked.get(leaders.asked.size() - 1);
        asked.deliveries().opened(port);
        asked.answer().reply(new InboxReply.Attached(true, 5, List.of(), new int[0]));
        run();
        return reply.join();
    }

    DeliveryStream stream() {
        return leaders.asked.get(leaders.asked.size() - 1).deliveries();
    }

    static RangeException.Cause causeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    static Message message(int bytes, Qos qos) {
        return new Message("t", new byte[bytes], qos, false, 0, MessageProperties.NONE);
    }

    static InboxMessage delivery(long sequence, int bytes, Qos qos) {
        return new InboxMessage(sequence, 1, message(bytes, qos), qos, false, false, false, new int[0]);
    }

    static String wordsOf(CompletableFuture<?> failed) {
        return failed.handle((value, failure) -> ((RangeException) failure).detail())
                .join();
    }

    static void stored(Leaders.Insert insert) {
        insert.answer().reply(new InboxReply.Inserted(List.of(InsertOutcome.STORED)));
    }

    CompletableFuture<List<InsertOutcome>> insert(long number, @Nullable RequestOrder order) {
        return insert(number, order, message(1, Qos.EXACTLY_ONCE));
    }

    CompletableFuture<List<InsertOutcome>> insert(long number, @Nullable RequestOrder order, Message message) {
        InsertRequest.Target target =
                new InsertRequest.Target(new ClientId("c"), 5, Qos.EXACTLY_ONCE, false, new int[0]);
        CompletableFuture<List<InsertOutcome>> answer = edge.insert(new InsertRequest(
                TenantId.DEFAULT, message, List.of(target), "origin", number, 0, false, order, Resend.ALWAYS));
        run();
        return answer;
    }

    void failAtLeader(int insert) {
        Leaders.Insert failed = leaders.inserts.get(insert);
        failed.request().order().failed(failed.request().tokenNumber());
        failed.answer().fail(new RangeException(RangeException.Cause.OVERLOADED, "full"));
    }

    void assertAbandoned(String why) {
        run();
        assertThat(nodes.abandoned).singleElement().asString().contains(why);
    }

    static byte[] bytes(InboxFrame.Builder frame) {
        return frame.build().toByteArray();
    }
}
