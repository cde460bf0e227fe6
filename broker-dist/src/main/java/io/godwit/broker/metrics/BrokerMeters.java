package io.godwit.broker.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry that every part of the broker registers its meters with, and what answers a scrape of it. It has the
 * meters of the process from the beginning: JVM, CPU, descriptors, Netty's memory. Made first and closed last; closing
 * ends its thread and what listens to the garbage collector.
 *
 * <p>A meter that does not fit is logged as an error and left out: the broker serves without it. The test that writes
 * docs/metrics.md fails then.
 */
public final class BrokerMeters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMeters.class);
    private static final long IDLE_SECONDS = 30;
    /** One of each format, and what RMQTT's figures ask for. */
    private static final int MAX_WAITING = 16;
    /** It is another one in each process: a series more with every restart. The type tells the two apart. */
    private static final MeterFilter WITHOUT_ALLOCATOR_ID = new MeterFilter() {
        @Override
        public Meter.Id map(Meter.Id id) {
            return id.getName().startsWith("netty.allocator.")
                    ? id.replaceTags(id.getTags().stream()
                            .filter(tag -> !tag.getKey().equals("id"))
                            .toList())
                    : id;
        }
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbage = new JvmGcMetrics();
    private final List<String> leftOut = new CopyOnWriteArrayList<>();
    private final ExecutorService thread;
    private final Scrapes scrapes;

    public BrokerMeters() {
        registry.config()
                .meterFilter(WITHOUT_ALLOCATOR_ID)
                .onMeterRegistrationFailed((id, reason) -> leftOut(id.getName() + ": " + reason));
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread each = new Thread(task, "metrics");
                    each.setDaemon(true);
                    return each;
                });
        made.allowCoreThreadTimeOut(true);
        thread = made;
        scrapes = new Scrapes(registry, thread, System::nanoTime);
        List<MeterBinder> process = List.of(
                new JvmMemoryMetrics(),
                garbage,
                new JvmThreadMetrics(),
                new ClassLoaderMetrics(),
                new ProcessorMetrics(),
                new FileDescriptorMetrics(),
                new UptimeMetrics());
        process.forEach(binder -> binder.bindTo(registry));
        new NettyAllocatorMetrics(UnpooledByteBufAllocator.DEFAULT).bindTo(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            new NettyAllocatorMetrics(allocator).bindTo(registry);
        }
    }

    private void leftOut(String meter) {
        leftOut.add(meter);
        LOG.error("meter left out {}", meter);
    }

    /** Meters that could not be registered, and why: none, or a mistake in the broker. */
    public List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    /** For every part of the broker. */
    public MeterRegistry registry() {
        return registry;
    }

    /** What answers a scrape. */
    public Scrapes scrapes() {
        return scrapes;
    }

    @Override
    public void close() {
        thread.shutdownNow();
        garbage.close();
        registry.close();
    }
}
