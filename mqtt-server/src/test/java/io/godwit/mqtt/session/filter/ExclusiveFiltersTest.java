package io.godwit.mqtt.session.filter;

import static io.godwit.mqtt.packet.field.ReasonCode.GRANTED_QOS_1;
import static io.godwit.mqtt.packet.field.ReasonCode.QUOTA_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.NodeSessionDirectory;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.RecordingConnection;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Live sessions of two nodes, which share a directory. A node knows stored sessions and its own live ones. */
class ExclusiveFiltersTest {
    private static final String FILTER = "$exclusive/e/+";
    private static final ReasonCode NONE = ReasonCode.SUCCESS;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), EventListener.NONE);
    private final NodeSessionDirectory ids = new NodeSessionDirectory();
    /** Answers of the directory wait for it. */
    private CompletableFuture<Void> answers = CompletableFuture.completedFuture(null);

    private boolean isReachable = true;

    private final SessionDirectory directory = (tenant, id, holder, takeover) -> isReachable
            ? ids.acquire(tenant, id, holder, takeover).thenCombine(answers, (answer, now) -> answer)
            : CompletableFuture.failedFuture(new IllegalStateException("no answer"));
    private final MemoryDist first = new MemoryDist();
    private final MemoryDist second = new MemoryDist();
    private final SessionServices one = node(first);
    private final SessionServices two = node(second);
    private int packetId;

    private SessionServices node(MemoryDist dist) {
        return new SessionServices(
                SessionConfig.DEFAULTS,
                new TopicRules(List.of(), List.of(), true, 0, false),
                new Tenants(),
                new SessionStores(dist, new MemoryInbox(), new MemoryRetain(), directory),
                new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports),
                reports,
                () -> 0,
                1);
    }

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
    }

    private final class Client {
        private final RecordingConnection connection = new RecordingConnection(loop);
        private final TransientSession session;

        Client(SessionServices node, String id) {
            ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId(id), null, "test:1", 5);
            session = new TransientSession(connection, node, new SessionTerms(info, 10, 0, 0, null), null, () -> {});
        }

        /** {@link #NONE} while there is no SUBACK. */
        ReasonCode subscribe(String filter) {
            session.onPacket(new Subscribe(
                    ++packetId,
                    List.of(new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE)),
                    0,
                    List.of()));
            runTasks();
            return suback();
        }

        ReasonCode suback() {
            return connection.sent.isEmpty() || !(connection.sent.get(connection.sent.size() - 1) instanceof SubAck ack)
                    ? NONE
                    : ack.reasonCodes().get(0);
        }

        void unsubscribe(String filter) {
            session.onPacket(new Unsubscribe(
                    ++packetId, List.of(TopicFilter.parse(filter).orElseThrow())));
            runTasks();
        }

        void end() {
            session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
            runTasks();
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void aLiveSubscriptionExcludesThoseOfOtherNodes() {
        Client holder = new Client(one, "holder");
        Client other = new Client(two, "other");
        assertThat(holder.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
        assertThat(holder.subscribe(FILTER)).as("again").isEqualTo(GRANTED_QOS_1);
        assertThat(other.subscribe(FILTER)).isEqualTo(QUOTA_EXCEEDED);
        assertThat(other.subscribe("$exclusive/e/1")).as("another filter").isEqualTo(GRANTED_QOS_1);
        assertThat(other.session.filterCount()).isEqualTo(1);

        holder.unsubscribe(FILTER);
        assertThat(other.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
        assertThat(holder.subscribe(FILTER)).isEqualTo(QUOTA_EXCEEDED);
        other.end();
        assertThat(holder.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
        holder.end();
        assertThat(ids.size()).isZero();
        assertThat(one.exclusive.count()).isZero();
        assertThat(two.exclusive.count()).isZero();
    }

    @Test
    void aStoredSubscriptionExcludesOthersWhileItsClientIsOffline() {
        TopicFilter filter = TopicFilter.parse(FILTER).orElseThrow();
        InboxReceiver kept = new InboxReceiver(TenantId.DEFAULT, new ClientId("kept"), 1);
        second.addRoutes(
                        Map.of(filter, new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0)),
                        kept,
                        new RouteNumber(1, 1))
                .join();
        Client other = new Client(two, "other");
        assertThat(other.subscribe(FILTER)).isEqualTo(QUOTA_EXCEEDED);
        assertThat(ids.size()).as("leases of filters that nobody has").isZero();
        assertThat(new Client(two, "kept").subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
    }

    @Test
    void theNextConnectionOfAClientTakesItsFilterOver() {
        Client before = new Client(one, "c");
        assertThat(before.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
        Client now = new Client(two, "c");
        assertThat(now.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
        before.end();
        assertThat(new Client(one, "other").subscribe(FILTER)).isEqualTo(QUOTA_EXCEEDED);
        now.end();
        assertThat(ids.size()).isZero();
    }

    @Test
    void aSessionThatEndsBeforeTheAnswerKeepsNothing() {
        answers = new CompletableFuture<>();
        Client gone = new Client(one, "gone");
        assertThat(gone.subscribe(FILTER)).isEqualTo(NONE);
        gone.end();
        answers.complete(null);
        runTasks();
        assertThat(first.size()).isZero();
        assertThat(ids.size()).isZero();
        assertThat(one.exclusive.count()).isZero();
    }

    @Test
    void withoutAnAnswerTheFilterIsRefusedAndTheNextSubscribeAsksAgain() {
        isReachable = false;
        Client client = new Client(one, "c");
        assertThat(client.subscribe(FILTER)).isEqualTo(QUOTA_EXCEEDED);
        assertThat(client.session.filterCount()).isZero();
        assertThat(one.exclusive.count()).isZero();
        isReachable = true;
        assertThat(client.subscribe(FILTER)).isEqualTo(GRANTED_QOS_1);
    }
}
