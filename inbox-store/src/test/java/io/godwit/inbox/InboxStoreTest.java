package io.godwit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.store.StoreSpec;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store on real ranges: a Raft log and RocksDB on disk. */
class InboxStoreTest {
    private static final int MESSAGES = 1500;

    @TempDir
    Path data;

    private static final class Connection implements InboxListener {
        final BlockingQueue<InboxMessage> delivered = new LinkedBlockingQueue<>();

        @Override
        public void deliver(List<InboxMessage> messages) {
            delivered.addAll(messages);
        }

        @Override
        public void detached(Reason reason) {}
    }

    @Test
    void aQueueSurvivesRestartsWhileItIsTakenInParts() throws Exception {
        long incarnation;
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            InboxClient client = open(node);
            AttachReply reply = attach(client, new Connection());
            incarnation = reply.incarnation();
            reply.attachment().detach(-1, false).get(20, TimeUnit.SECONDS);
            List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                answers.add(client.insert(insert(incarnation, i)));
            }
            for (CompletableFuture<List<InsertOutcome>> answer : answers) {
                assertThat(answer.get(20, TimeUnit.SECONDS)).containsExactly(InsertOutcome.STORED);
            }
        }
        int taken = 0;
        while (taken < MESSAGES) {
            try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
                Connection connection = new Connection();
                AttachReply reply = attach(open(node), connection);
                assertThat(reply.sessionPresent()).isTrue();
                assertThat(reply.incarnation()).isEqualTo(incarnation);
                int part = Math.min(500, MESSAGES - taken);
                reply.attachment().request(part);
                for (int i = 0; i < part; i++) {
                    InboxMessage message = connection.delivered.poll(20, TimeUnit.SECONDS);
                    assertThat(message.message().payload()[0]).isEqualTo((byte) (taken + i));
                    assertThat(message.message().payload()).hasSize(size(taken + i));
                    reply.attachment().acknowledge(new long[] {message.sequence()});
                }
                taken += part;
                reply.attachment().detach(-1, false).get(20, TimeUnit.SECONDS);
            }
        }
    }

    /** Without it this node would keep for ever what a leader has left that went to another node. */
    @Test
    void anErrorEndsOneRoundOfForgettingOnly() {
        List<Runnable> rounds = new ArrayList<>();
        ScheduledExecutorService timers = (ScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ScheduledExecutorService.class}, (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("scheduleWithFixedDelay");
                    rounds.add((Runnable) args[0]);
                    return null;
                });
        store().forgetMoved(timers, () -> {
            throw new StackOverflowError();
        });
        assertThat(rounds).hasSize(1);
        assertThatCode(rounds.get(0)::run).doesNotThrowAnyException();
    }

    private static InboxStore store() {
        return new InboxStore(
                new InboxConfig(
                        2 * MESSAGES,
                        InboxConfig.DropPolicy.NEWEST,
                        true,
                        1000,
                        InboxConfig.DEFAULT.maxSessionExpiry(),
                        true),
                new InboxOutlets(
                        new WillPublisher() {
                            @Override
                            public CompletableFuture<Boolean> publish(
                                    ClientInfo client,
                                    Message message,
                                    String origin,
                                    long number,
                                    long below,
                                    long decidedAtMillis,
                                    @Nullable RequestOrder order,
                                    Resend resend) {
                                return CompletableFuture.completedFuture(true);
                            }

                            @Override
                            public void finished(
                                    TenantId tenant, @Nullable Message message, String origin, long number) {}
                        },
                        (tenant, client, incarnation, filters) -> CompletableFuture.completedFuture(true),
                        (from, group, message, token, resend) ->
                                CompletableFuture.completedFuture(GroupOutcome.NOBODY)),
                id -> false,
                false,
                EventListener.NONE,
                new SimpleMeterRegistry());
    }

    private static InboxClient open(KvNode node) throws Exception {
        InboxStore store = store();
        InboxClient client =
                store.client(node.open(new StoreSpec("inbox", store.coprocessorFactory(), InboxStore.splitKeys(2)))
                        .client());
        node.ready().get(30, TimeUnit.SECONDS);
        return client;
    }

    private static AttachReply attach(InboxClient client, Connection connection) throws Exception {
        ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId("a"), null, "127.0.0.1:1", 5);
        return client.attach(new AttachRequest(info, false, AttachRequest.NEVER, null), connection)
                .get(20, TimeUnit.SECONDS);
    }

    private static InsertRequest insert(long incarnation, int number) {
        byte[] payload = new byte[size(number)];
        payload[0] = (byte) number;
        Message message = new Message("t", payload, Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
        InsertRequest.Target target =
                new InsertRequest.Target(new ClientId("a"), incarnation, Qos.AT_LEAST_ONCE, false, new int[0]);
        return new InsertRequest(TenantId.DEFAULT, message, List.of(target), null, 0, 0);
    }

    private static int size(int number) {
        return number % 100 == 50 ? 1 << 18 : 32;
    }
}
