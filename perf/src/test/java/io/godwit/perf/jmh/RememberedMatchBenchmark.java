package io.godwit.perf.jmh;

import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A publish until its receivers are known, by the number of topics that a client uses in rotation: one and eight are
 * remembered with the connection, a thousand are looked up each time. Each topic has one receiver.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RememberedMatchBenchmark {
    @Param({"1", "8", "1000"})
    public int topics;

    private Message[] messages = {};
    private Publisher publisher = (message, token) -> Deliverer.DELIVERED;
    private int next;

    @Setup
    public void setUp() {
        DistWorker dist = new DistWorker(
                DistConfig.DEFAULT,
                () -> {
                    throw new IllegalStateException("nothing is stored");
                },
                delivery -> Deliverer.DELIVERED,
                delivery -> Deliverer.DELIVERED,
                Delayer.NONE,
                event -> {},
                new SimpleMeterRegistry());
        messages = new Message[topics];
        for (int i = 0; i < topics; i++) {
            String topic = "plant/7/line/12/sensor/" + i;
            messages[i] = new Message(topic, new byte[32], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
            dist.client()
                    .subscribe(
                            TenantId.DEFAULT,
                            TopicFilter.parse(topic).orElseThrow(),
                            new MixedFilters.Named("s" + i),
                            new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0));
        }
        publisher = dist.client()
                .publisher(new ClientInfo(TenantId.DEFAULT, new ClientId("publisher"), null, "127.0.0.1:1", 5));
    }

    @Benchmark
    public CompletableFuture<DistOutcome> publish() {
        next = next + 1 == messages.length ? 0 : next + 1;
        return publisher.publish(messages[next], null);
    }
}
