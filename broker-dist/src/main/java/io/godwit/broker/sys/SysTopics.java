package io.godwit.broker.sys;

import io.godwit.dist.client.Publisher;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the counts of this node below {@code $SYS/broker} as retained messages with a marker, each when its value
 * has changed, and to other tenants the counts of that tenant. All but {@link #start} and {@link #close} runs on a
 * thread of its own.
 */
public final class SysTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SysTopics.class);
    private static final TopicFilter ALL = new TopicFilter(null, "$SYS/broker/#");
    /** Marks messages of the broker, so that it recognizes them after a restart. */
    private static final UserProperty OWN = new UserProperty("publisher", "broker");

    @SuppressWarnings(
            "NullAway") // the compiler of Java 17 does not see "byte @Nullable []" in another module's class file
    private static final MessageProperties OWN_PROPERTIES =
            new MessageProperties(-1, -1, null, null, null, List.of(OWN));

    /** No client may have this id. */
    private static final ClientId ID = new ClientId("\0sys");

    private static final int PAGE = 100;
    private static final int PAGE_BYTES = 1 << 20;

    private final Function<ClientInfo, Publisher> publishers;
    private final RetainClient retain;
    private final @Nullable NodeRetained own;
    private final SysValues values;
    private final Duration interval;
    private final LongSupplier wallMillis;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "sys-topics");
        made.setDaemon(true);
        return made;
    });
    private final OfTenants tenants;
    /** The last published values. */
    private final Map<TenantId, Told> told = new HashMap<>();

    /** The values of tenants other than the default one. */
    public interface OfTenants {
        /** The present values of each tenant that gets them, by name. */
        Map<TenantId, Map<String, String>> next();
    }

    /**
     * The last values of one tenant.
     *
     * @param values by name
     */
    private record Told(Publisher publisher, Map<String, String> values) {}

    /** For a node that runs alone: its values are retained in the store like other messages. */
    SysTopics(
            Function<ClientInfo, Publisher> publishers,
            RetainClient retain,
            SysValues values,
            Duration interval,
            LongSupplier wallMillis) {
        this(publishers, retain, null, values, Map::of, interval, wallMillis);
    }

    /**
     * @param publishers {@link io.godwit.dist.client.DistClient#publisher}
     * @param own holds the values of a clustered node, and of one that publishes values of tenants; else null
     * @param tenants the values of other tenants; none without {@code own}
     * @param interval between two publications; zero to publish nothing and clear values published earlier
     * @param wallMillis the wall clock, milliseconds since the epoch
     */
    public SysTopics(
            Function<ClientInfo, Publisher> publishers,
            RetainClient retain,
            @Nullable NodeRetained own,
            SysValues values,
            OfTenants tenants,
            Duration interval,
            LongSupplier wallMillis) {
        this.publishers = publishers;
        this.retain = retain;
        this.own = own;
        this.values = values;
        this.tenants = tenants;
        this.interval = interval;
        this.wallMillis = wallMillis;
    }

    public void start() {
        if (interval.isZero()) {
            thread.execute(() -> guarded(this::clear));
            return;
        }
        if (own != null) {
            thread.execute(() -> guarded(this::clear)); // values left in the store when this node ran alone
        }
        thread.scheduleAtFixedRate(() -> guarded(this::publish), 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Anything that is thrown would end all further rounds. */
    private static void guarded(Runnable round) {
        try {
            round.run();
        } catch (RuntimeException | Error e) {
            LOG.error("$SYS topics could not be published", e);
        }
    }

    /** Publishes the values that have changed. */
    void publish() {
        Map<TenantId, Map<String, String>> all = new HashMap<>(tenants.next());
        all.put(TenantId.DEFAULT, values.next());
        all.forEach(this::publish);
        told.keySet().removeIf(tenant -> {
            boolean isOver = !all.containsKey(tenant);
            if (isOver && own != null) {
                own.clearOwn(tenant);
            }
            return isOver;
        });
    }

    private void publish(TenantId tenant, Map<String, String> now) {
        Told before = told.computeIfAbsent(
                tenant, any -> new Told(publishers.apply(new ClientInfo(tenant, ID, null, "", 5)), new HashMap<>()));
        now.forEach((name, value) -> {
            if (value.equals(before.values().put(name, value))) {
                return;
            }
            Message message = message(NodeRetained.PREFIX + name, value);
            keep(tenant, message);
            before.publisher().publish(message, null);
        });
    }

    private void keep(TenantId tenant, Message message) {
        if (own != null) {
            own.setOwn(tenant, message);
            return;
        }
        retain.set(tenant, message).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("not retained topic={} cause={}", message.topic(), failure.toString());
            }
        });
    }

    /**
     * Clears only retained messages with the broker's marker: while the broker publishes nothing there, clients may.
     */
    void clear() {
        clear(null);
    }

    private void clear(@Nullable String cursor) {
        retain.match(TenantId.DEFAULT, ALL, cursor, PAGE, PAGE_BYTES).whenComplete((page, failure) -> {
            if (failure != null) {
                LOG.debug("old $SYS topics not cleared cause={}", failure.toString());
                return;
            }
            page.messages().stream()
                    .filter(old -> old.properties().userProperties().contains(OWN))
                    .forEach(own -> retain.set(TenantId.DEFAULT, message(own.topic(), "")));
            if (page.cursor() != null) {
                clear(page.cursor());
            }
        });
    }

    private Message message(String topic, String payload) {
        return new Message(
                topic,
                payload.getBytes(StandardCharsets.UTF_8),
                Qos.AT_MOST_ONCE,
                true,
                wallMillis.getAsLong(),
                OWN_PROPERTIES);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
