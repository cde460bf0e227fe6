package io.godwit.broker;

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
 * has changed. All but {@link #start} and {@link #close} runs on a thread of its own.
 */
final class SysTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SysTopics.class);
    private static final TopicFilter ALL = new TopicFilter(null, "$SYS/broker/#");
    /** Marks messages of the broker, so that it recognizes them after a restart. */
    private static final UserProperty OWN = new UserProperty("publisher", "broker");

    @SuppressWarnings(
            "NullAway") // the compiler of Java 17 does not see "byte @Nullable []" in another module's class file
    private static final MessageProperties OWN_PROPERTIES =
            new MessageProperties(-1, -1, null, null, null, List.of(OWN));

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
    /** The last published values, by topic. */
    private final Map<String, String> published = new HashMap<>();

    /** For a node that runs alone: its values are retained in the store like other messages. */
    SysTopics(
            Function<ClientInfo, Publisher> publishers,
            RetainClient retain,
            SysValues values,
            Duration interval,
            LongSupplier wallMillis) {
        this(publishers, retain, null, values, interval, wallMillis);
    }

    /**
     * @param publishers {@link io.godwit.dist.client.DistClient#publisher}
     * @param own holds the values of a clustered node; null for a node that runs alone
     * @param interval between two publications; zero to publish nothing and clear values published earlier
     * @param wallMillis the wall clock, milliseconds since the epoch
     */
    SysTopics(
            Function<ClientInfo, Publisher> publishers,
            RetainClient retain,
            @Nullable NodeRetained own,
            SysValues values,
            Duration interval,
            LongSupplier wallMillis) {
        this.publishers = publishers;
        this.retain = retain;
        this.own = own;
        this.values = values;
        this.interval = interval;
        this.wallMillis = wallMillis;
    }

    void start() {
        if (interval.isZero()) {
            thread.execute(() -> guarded(this::clear));
            return;
        }
        if (own != null) {
            thread.execute(() -> guarded(this::clear)); // values left in the store when this node ran alone
        }
        Publisher publisher = publishers.apply(
                new ClientInfo(TenantId.DEFAULT, new ClientId("\0sys"), null, "", 5)); // no client may have this id
        thread.scheduleAtFixedRate(
                () -> guarded(() -> publish(publisher)), 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** An exception would end all further rounds. */
    private static void guarded(Runnable round) {
        try {
            round.run();
        } catch (RuntimeException e) {
            LOG.error("$SYS topics not published", e);
        }
    }

    /** Publishes the values that have changed. */
    void publish(Publisher publisher) {
        values.next().forEach((name, value) -> {
            if (value.equals(published.put(name, value))) {
                return;
            }
            Message message = message(NodeRetained.PREFIX + name, value);
            keep(message);
            publisher.publish(message, null);
        });
    }

    private void keep(Message message) {
        if (own != null) {
            own.setOwn(message);
            return;
        }
        retain.set(TenantId.DEFAULT, message).whenComplete((done, failure) -> {
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
