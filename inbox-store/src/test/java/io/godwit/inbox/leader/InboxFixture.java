package io.godwit.inbox.leader;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.carrier.peer.LinkedNodes;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.edge.InboxEdge;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.local.LocalCarrier;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.inbox.report.Stock;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An inbox store in memory with a hand-moved clock, and short methods to use it. */
final class InboxFixture implements AutoCloseable {
    static final InboxConfig LATE_PUSH = new InboxConfig(
            1000, InboxConfig.DropPolicy.NEWEST, true, 100, Duration.ofSeconds(AttachRequest.NEVER), false);

    /** Whether the tests run with leaders on another node: everything goes through frames. */
    static final boolean IS_REMOTE = "remote".equals(System.getProperty("godwit.inbox.carrier"));

    /** @param answer null while it is missing */
    record Published(
            ClientInfo publisher,
            Message message,
            String origin,
            long number,
            long finishedBelow,
            long decidedAtMillis,
            @Nullable RequestOrder order,
            @Nullable Boolean answer) {}

    record Finished(@Nullable String topic, String origin, long number) {}

    record Given(
            ClientId from,
            TopicFilter group,
            Message message,
            @Nullable GroupToken token,
            GroupOutcome answer) {}

    record Removed(ClientId clientId, long incarnation, List<TopicFilter> filters) {}

    final List<Published> published = new ArrayList<>();
    final List<Finished> finished = new ArrayList<>();
    final List<Removed> removed = new ArrayList<>();
    final List<Given> given = new ArrayList<>();
    /** For all messages published or given. */
    final List<Resend> resends = new ArrayList<>();

    /** Those of discarded messages. */
    final List<BrokerEvent> events = new ArrayList<>();

    final List<BrokerEvent> otherEvents = new ArrayList<>();
    /** Those of stored copies. */
    final List<BrokerEvent.MessageQueued> queued = new ArrayList<>();

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    /** The answer to publishes; null for no answer yet. */
    @Nullable
    Boolean publishAnswer = true;

    private final List<CompletableFuture<Boolean>> openPublishes = new ArrayList<>();

    boolean removeAnswer = true;
    /** The answer to messages given to a group. */
    Supplier<GroupOutcome> giveAnswer = () -> GroupOutcome.GIVEN;

    /** Counts client ids that begin with "counted". */
    final RecordCount records = new RecordCount(id -> id.value().startsWith("counted"));

    /** Dies with the process. */
    private MovedSessions moved = new MovedSessions();

    final Stock stock = new Stock();
    /** Retries are not spread, unless the test changes this. */
    DoubleSupplier random = () -> 1;

    final StoredInboxes storedInboxes = new StoredInboxes();

    final InMemoryRangeHost host;
    final InboxClient client;

    InboxFixture() {
        this(LATE_PUSH, 1);
    }

    InboxFixture(InboxConfig config, int ranges) {
        this(config, ranges, key -> false);
    }

    private InboxFixture(InboxConfig config, int ranges, Predicate<byte[]> forgets) {
        this(settings(config, 4096), ranges, forgets);
    }

    /** @param forgets keys whose writes are lost: a planted fault */
    InboxFixture(QueueSettings settings, int ranges, Predicate<byte[]> forgets) {
        Supplier<Surroundings> outside = () -> new Surroundings(
                (publisher, message, origin, number, finishedBelow, decidedAtMillis, order, resend) -> {
                    resends.add(resend);
                    published.add(new Published(
                            publisher, message, origin, number, finishedBelow, decidedAtMillis, order, publishAnswer));
                    CompletableFuture<Boolean> answer = new CompletableFuture<>();
                    if (publishAnswer == null) {
                        openPublishes.add(answer);
                    } else {
                        answer.complete(publishAnswer);
                    }
                    return answer;
                },
                (tenant, message, origin, number) ->
                        finished.add(new Finished(message == null ? null : message.topic(), origin, number)),
                (tenant, clientId, incarnation, filters) -> {
                    removed.add(new Removed(clientId, incarnation, filters));
                    return CompletableFuture.completedFuture(removeAnswer);
                },
                (from, group, message, token, resend) -> {
                    resends.add(resend);
                    GroupOutcome answer = giveAnswer.get();
                    given.add(new Given(from.clientId(), group, message, token, answer));
                    return CompletableFuture.completedFuture(answer);
                },
                new InboxReports(this::onEvent, meters),
                records,
                storedInboxes,
                moved,
                stock,
                () -> random.getAsDouble());
        host = new InMemoryRangeHost(
                () -> new ForgetfulCoprocessor(new InboxCoprocessor(settings, outside.get()), forgets),
                InboxStore.splitKeys(ranges));
        LocalCarrier local = new LocalCarrier(host, storedInboxes);
        InboxCarrier carrier = local;
        if (IS_REMOTE) {
            LinkedNodes nodes = new LinkedNodes(local, host::execute, host::nowMillis);
            host.watchCrashes(nodes::reconnect);
            carrier = nodes;
        }
        client = new InboxEdge(carrier);
    }

    private void onEvent(BrokerEvent event) {
        if (event instanceof BrokerEvent.MessageQueued copy) {
            queued.add(copy);
        } else {
            (event instanceof BrokerEvent.MessageDropped ? events : otherEvents).add(event);
        }
    }

    /** @param maxIdle detached inboxes kept in memory */
    static QueueSettings settings(InboxConfig config, int maxIdle) {
        return new QueueSettings(
                config.maxQueuedMessages(),
                config.dropPolicy() == InboxConfig.DropPolicy.OLDEST,
                config.queueQos0() ? config.maxQueuedQos0() : 0,
                config.maxQueuedQos0Bytes(),
                config.maxSessionExpiry().toSeconds(),
                config.earlyPush(),
                maxIdle);
    }

    /** See {@link InMemoryRangeHost#crashAndRestart(int)}. */
    void crash(int survivors) {
        moved = new MovedSessions();
        host.crashAndRestart(survivors);
    }

    /** Replaces the leader of every range in good order, and waits for that. */
    void move() {
        host.moveLeaders();
        host.runUntilIdle();
    }

    /** Continues a connection that was told {@code MOVED}: null when that is not possible. */
    @Nullable
    TestConnection continueFrom(TestConnection before, long sentUpTo, long... unanswered) {
        TestConnection connection = new TestConnection();
        connection.clientId = before.clientId;
        InboxAttachment attachment = host.await(client.continueAttachment(
                        new ContinueRequest(info(before.clientId), before.reply.incarnation(), sentUpTo, unanswered),
                        connection))
                .orElse(null);
        if (attachment == null) {
            return null;
        }
        AttachReply reply = before.reply;
        connection.reply =
                new AttachReply(true, reply.incarnation(), reply.subscriptions(), reply.inbound(), attachment);
        return connection;
    }

    TestConnection attach(String clientId) {
        return attach(clientId, false, AttachRequest.NEVER, null);
    }

    TestConnection attach(String clientId, boolean cleanStart, long expirySeconds, @Nullable Will will) {
        TestConnection connection = new TestConnection();
        connection.clientId = clientId;
        connection.reply = host.await(attachLater(clientId, cleanStart, expirySeconds, will, connection));
        return connection;
    }

    CompletableFuture<AttachReply> attachLater(
            String clientId, boolean cleanStart, long expirySeconds, @Nullable Will will, TestConnection connection) {
        return client.attach(new AttachRequest(info(clientId), cleanStart, expirySeconds, will), connection);
    }

    void detach(TestConnection connection) {
        detach(connection, -1, false);
    }

    void detach(TestConnection connection, long expirySeconds, boolean publishWill) {
        host.await(connection.attachment().detach(expirySeconds, publishWill));
    }

    /** A session with one subscription and without a connection. */
    long absent(String clientId) {
        TestConnection connection = attach(clientId);
        host.await(connection.attachment().subscribe(List.of(subscription("t/#"))));
        detach(connection);
        return connection.reply.incarnation();
    }

    CompletableFuture<List<InsertOutcome>> insertLater(String clientId, long incarnation, Message message) {
        return client.insert(request(message, List.of(target(clientId, incarnation, message.qos()))));
    }

    InsertOutcome insert(String clientId, long incarnation, Message message) {
        return host.await(insertLater(clientId, incarnation, message)).get(0);
    }

    InsertOutcome insertToken(String clientId, long incarnation, Message message, long number, long finishedBelow) {
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                message,
                List.of(target(clientId, incarnation, message.qos())),
                "origin",
                number,
                finishedBelow);
        return host.await(client.insert(request)).get(0);
    }

    static InsertRequest request(Message message, List<InsertRequest.Target> targets) {
        return new InsertRequest(TenantId.DEFAULT, message, targets, null, 0, 0);
    }

    static InsertRequest.Target target(String clientId, long incarnation, Qos qos) {
        return new InsertRequest.Target(new ClientId(clientId), incarnation, qos, false, new int[0]);
    }

    Message message(String payload, int qos) {
        return message("t/1", payload, qos, -1);
    }

    Message message(String topic, String payload, int qos, long expirySeconds) {
        MessageProperties properties = expirySeconds < 0
                ? MessageProperties.NONE
                : new MessageProperties(-1, expirySeconds, null, null, null, List.of());
        return new Message(
                topic, payload.getBytes(StandardCharsets.UTF_8), Qos.of(qos), false, host.nowMillis(), properties);
    }

    /** Answers the publishes that have no answer yet. */
    void answerPublishes(boolean done) {
        List<CompletableFuture<Boolean>> open = List.copyOf(openPublishes);
        openPublishes.clear();
        open.forEach(answer -> answer.complete(done));
        host.runUntilIdle();
    }

    /** Topics of all messages reported as dropped so far. */
    List<String> droppedTopics() {
        return events.stream()
                .map(event -> ((BrokerEvent.MessageDropped) event).topic())
                .toList();
    }

    double dropped(String reason) {
        return meters.get("godwit.inbox.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    /** Copies that were stored or cancelled, so far. */
    long copies(String fate) {
        return (long)
                meters.get("godwit.inbox.copies." + fate).functionCounter().count();
    }

    /** Number of stored keys of one kind in an inbox. */
    int stored(String clientId, int kind) {
        byte[] prefix = InboxKeys.prefix(TenantId.DEFAULT, new ClientId(clientId));
        return host.inspect(prefix, reader -> {
            int count = 0;
            byte[] end = InboxKeys.key(prefix, kind + 1);
            try (RangeCursor cursor = reader.cursor(InboxKeys.key(prefix, kind), end)) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    count++;
                }
            }
            return count;
        });
    }

    /** Number of stored keys in an inbox. */
    int stored(String clientId) {
        return Arrays.stream(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
                .map(kind -> stored(clientId, kind))
                .sum();
    }

    static StoredSubscription subscription(String filter) {
        return new StoredSubscription(TopicFilter.parse(filter).orElseThrow(), Qos.EXACTLY_ONCE, false, false, 2, 0);
    }

    static ClientInfo info(String clientId) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), "user", "127.0.0.1:1000", 5);
    }

    @Override
    public void close() {
        host.close();
    }
}
