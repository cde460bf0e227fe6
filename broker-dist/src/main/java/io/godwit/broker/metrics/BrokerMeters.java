package io.godwit.broker.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry for the meters of all parts of the broker, and the scrapes of it. From the beginning it has the meters
 * of the process: JVM, CPU, file descriptors. Created first and closed last; closing removes the listener of garbage
 * collections.
 *
 * <p>A meter that cannot be registered is logged as an error and left out: the broker serves without it, but the test
 * that writes docs/metrics.md fails.
 */
public final class BrokerMeters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMeters.class);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String ALLOCATOR = "netty.allocator.";
    private static final String CPU_NANOS = "process.cpu.time";
    /**
     * Completes Netty's meters. Their label {@code id} is removed, since it differs in each process, so that each
     * restart would add series; the type tells the allocators apart.
     */
    private static final MeterFilter OF_ALLOCATORS = new MeterFilter() {
        @Override
        public Meter.Id map(Meter.Id id) {
            if (!id.getName().startsWith(ALLOCATOR)) {
                return id;
            }
            List<Tag> tags = id.getTags().stream()
                    .filter(tag -> !tag.getKey().equals("id"))
                    .toList();
            boolean isOfBytes = id.getName().startsWith(ALLOCATOR + "memory");
            return new Meter.Id(
                    id.getName(),
                    Tags.of(tags),
                    isOfBytes ? BaseUnits.BYTES : id.getBaseUnit(),
                    isOfBytes ? "memory that Netty's allocators have taken" : id.getDescription(),
                    id.getType());
        }
    };

    /** Upper bounds of the buckets of latencies, in milliseconds: few, since each bucket is a series. */
    private static final double[] BOUNDS_MILLIS = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 100, 500, 2_000, 10_000};
    /** All our latencies have the same buckets, so they can be added over nodes. */
    private static final MeterFilter HISTOGRAMS = new MeterFilter() {
        @Override
        public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
            if (id.getType() != Meter.Type.TIMER || !id.getName().startsWith("godwit.")) {
                return config;
            }
            double[] nanos =
                    Arrays.stream(BOUNDS_MILLIS).map(millis -> millis * 1e6).toArray();
            return DistributionStatisticConfig.builder()
                    .serviceLevelObjectives(nanos)
                    .build()
                    .merge(config);
        }
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbage = new JvmGcMetrics();
    private final List<String> leftOut = new CopyOnWriteArrayList<>();
    private final Scrapes scrapes;

    public BrokerMeters() {
        registry.config()
                .meterFilter(OF_ALLOCATORS)
                .meterFilter(HISTOGRAMS)
                .meterFilter(MeterFilter.denyNameStartsWith(CPU_NANOS))
                .onMeterRegistrationFailed((id, reason) -> leftOut(id.getName() + ": " + reason));
        scrapes = new Scrapes(registry);
        List<MeterBinder> process = List.of(
                new JvmMemoryMetrics(),
                garbage,
                new JvmThreadMetrics(),
                new ClassLoaderMetrics(),
                new ProcessorMetrics(),
                new FileDescriptorMetrics(),
                new UptimeMetrics());
        process.forEach(binder -> binder.bindTo(registry));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / NANOS_PER_SECOND)
                    .description("CPU time that the process has used")
                    .baseUnit("seconds")
                    .register(registry);
        }
    }

    private void leftOut(String meter) {
        leftOut.add(meter);
        LOG.error("meter left out {}", meter);
    }

    /** The meters that could not be registered, with the reason; empty unless the broker has a mistake. */
    public List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    /** The registry for all parts of the broker. */
    public MeterRegistry registry() {
        return registry;
    }

    /** The current values of all meters, with the names of a scrape. Reads them on the calling thread. */
    MetricSnapshots snapshots() {
        return registry.getPrometheusRegistry().scrape();
    }

    /** Answers scrapes. */
    public Scrapes scrapes() {
        return scrapes;
    }

    @Override
    public void close() {
        garbage.close();
        registry.close();
    }
}
