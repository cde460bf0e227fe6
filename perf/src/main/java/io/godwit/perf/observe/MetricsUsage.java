package io.godwit.perf.observe;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The usage that brokers report at a metrics endpoint in the text format of Prometheus. CPU is {@code
 * process_cpu_seconds_total}, or else {@code process_cpu_usage} (a share of the machine's cores, multiplied by the time
 * between two reads and added up). Memory is {@code process_resident_memory_bytes}, or else the sum of {@code
 * jvm_memory_used_bytes}. Other lines are skipped.
 */
public final class MetricsUsage implements UsageSource {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Pattern LINE = Pattern.compile(
            "^([A-Za-z_:][A-Za-z0-9_:]*)(?:\\{[^}]*\\})?\\s+([-+0-9.eE]+|NaN|[+-]?Inf)(?:\\s+\\d+)?\\s*$");

    private final List<URI> endpoints;
    private final int cores;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    /**
     * For endpoints that report {@code process_cpu_usage} only: the seconds added up so far, and the time of the last
     * read.
     */
    private final double[] summedCpuSeconds;

    private final long[] lastReadNanos;

    /** @param cores of each broker's machine, for endpoints that report a share only */
    public MetricsUsage(List<URI> endpoints, int cores) {
        this.endpoints = List.copyOf(endpoints);
        this.cores = cores;
        summedCpuSeconds = new double[endpoints.size()];
        lastReadNanos = new long[endpoints.size()];
    }

    @Override
    public Optional<Usage> read() {
        Usage sum = new Usage(0, -1, 0);
        for (int i = 0; i < endpoints.size(); i++) {
            Optional<String> text = fetch(endpoints.get(i));
            if (text.isEmpty()) {
                return Optional.empty();
            }
            Optional<Usage> one = usage(i, text.get(), System.nanoTime());
            if (one.isEmpty()) {
                return Optional.empty();
            }
            sum = sum.plus(one.get());
        }
        return Optional.of(sum);
    }

    private Optional<String> fetch(URI endpoint) {
        HttpRequest request = HttpRequest.newBuilder(endpoint).timeout(TIMEOUT).build();
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 ? Optional.of(response.body()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    Optional<Usage> usage(int endpoint, String text, long nowNanos) {
        OptionalDouble cpuSeconds = sum(text, "process_cpu_seconds_total");
        if (cpuSeconds.isEmpty()) {
            OptionalDouble share = sum(text, "process_cpu_usage");
            if (share.isEmpty()) {
                return Optional.empty();
            }
            if (lastReadNanos[endpoint] != 0) {
                double seconds = (nowNanos - lastReadNanos[endpoint]) / 1e9;
                summedCpuSeconds[endpoint] += Math.max(0, share.getAsDouble()) * cores * seconds;
            }
            lastReadNanos[endpoint] = nowNanos;
            cpuSeconds = OptionalDouble.of(summedCpuSeconds[endpoint]);
        }
        OptionalDouble memory = sum(text, "process_resident_memory_bytes");
        if (memory.isEmpty()) {
            memory = sum(text, "jvm_memory_used_bytes");
        }
        return Optional.of(new Usage((long) (cpuSeconds.getAsDouble() * 1e9), -1, (long) memory.orElse(0)));
    }

    /** The sum over all labels; empty if there is no such metric. */
    private static OptionalDouble sum(String text, String name) {
        double sum = 0;
        boolean isThere = false;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()
                    && matcher.group(1).equals(name)
                    && !matcher.group(2).matches(".*(NaN|Inf)")) {
                sum += Double.parseDouble(matcher.group(2));
                isThere = true;
            }
        }
        return isThere ? OptionalDouble.of(sum) : OptionalDouble.empty();
    }

    @Override
    public int cores() {
        return cores * endpoints.size();
    }

    @Override
    public boolean isHere() {
        return endpoints.stream()
                .allMatch(endpoint -> endpoint.getHost().equals("localhost")
                        || endpoint.getHost().startsWith("127.")
                        || endpoint.getHost().equals("[::1]"));
    }

    @Override
    public String describe() {
        return endpoints.toString();
    }
}
