package io.godwit.broker.metrics;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DistributionDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes the values of a scrape as an {@code ExportMetricsServiceRequest} of OTLP 1. Names and labels are those of the
 * text format. Counters and histograms are cumulative since the start of the process. A gauge without a value is left
 * out.
 *
 * <p>The encoding is written by hand: the classes generated from OTLP's schema are ten times as large as all else that
 * a push needs. The numbers of the fields:
 *
 * <pre>
 * request         resource_metrics 1
 * resource_metrics resource 1 (attributes 1), scope_metrics 2
 * scope_metrics   scope 1 (name 1, version 2), metrics 2
 * metric          name 1, description 2, unit 3, gauge 5, sum 7, histogram 9, summary 11
 * gauge, sum, histogram, summary: data_points 1; sum, histogram: aggregation_temporality 2; sum: is_monotonic 3
 * every point     start_time_unix_nano 2, time_unix_nano 3, both fixed64
 * number point    as_double 4, attributes 7
 * histogram point count 4, sum 5, bucket_counts 6 (packed fixed64), explicit_bounds 7 (packed double), attributes 9
 * summary point   count 4, sum 5, attributes 7
 * attribute       key 1, value 2 (string_value 1)
 * </pre>
 */
final class OtlpRequest {
    private static final int CUMULATIVE = 2;
    private static final int GAUGE = 5;
    private static final int SUM = 7;
    private static final int HISTOGRAM = 9;
    private static final int SUMMARY = 11;
    private static final int ATTRIBUTES = 7;
    private static final int ATTRIBUTES_OF_HISTOGRAM = 9;

    private final long startNanos;
    private final long timeNanos;

    private OtlpRequest(long startNanos, long timeNanos) {
        this.startNanos = startNanos;
        this.timeNanos = timeNanos;
    }

    /**
     * The request as protobuf.
     *
     * @param resource attributes of the node, by name
     * @param startNanos when counting began, in nanoseconds since 1970
     * @param timeNanos when the snapshots were taken, likewise
     */
    static ByteString of(
            MetricSnapshots snapshots, Map<String, String> resource, String version, long startNanos, long timeNanos) {
        OtlpRequest request = new OtlpRequest(startNanos, timeNanos);
        return message(out -> out.writeBytes(1, message(metrics -> {
            metrics.writeBytes(1, message(attributes -> attributes(attributes, 1, new TreeMap<>(resource))));
            metrics.writeBytes(2, message(scope -> {
                scope.writeBytes(1, message(self -> {
                    self.writeString(1, "io.godwit");
                    self.writeString(2, version);
                }));
                for (MetricSnapshot snapshot : snapshots) {
                    request.metric(scope, snapshot);
                }
            }));
        })));
    }

    private void metric(CodedOutputStream scope, MetricSnapshot snapshot) throws IOException {
        String name = snapshot.getMetadata().getPrometheusName();
        if (snapshot instanceof CounterSnapshot counter) {
            metric(scope, snapshot, name + "_total", SUM, sum -> {
                for (CounterSnapshot.CounterDataPointSnapshot point : counter.getDataPoints()) {
                    sum.writeBytes(1, number(point.getLabels(), point.getValue()));
                }
                sum.writeEnum(2, CUMULATIVE);
                sum.writeBool(3, true);
            });
        } else if (snapshot instanceof GaugeSnapshot gauge) {
            if (gauge.getDataPoints().stream().allMatch(point -> Double.isNaN(point.getValue()))) {
                return;
            }
            metric(scope, snapshot, name, GAUGE, points -> {
                for (GaugeSnapshot.GaugeDataPointSnapshot point : gauge.getDataPoints()) {
                    if (!Double.isNaN(point.getValue())) {
                        points.writeBytes(1, number(point.getLabels(), point.getValue()));
                    }
                }
            });
        } else if (snapshot instanceof HistogramSnapshot histogram) {
            metric(scope, snapshot, name, HISTOGRAM, points -> {
                for (HistogramSnapshot.HistogramDataPointSnapshot point : histogram.getDataPoints()) {
                    points.writeBytes(1, histogram(point));
                }
                points.writeEnum(2, CUMULATIVE);
            });
        } else if (snapshot instanceof SummarySnapshot summary) {
            metric(scope, snapshot, name, SUMMARY, points -> {
                for (SummarySnapshot.SummaryDataPointSnapshot point : summary.getDataPoints()) {
                    points.writeBytes(1, message(out -> {
                        distribution(out, point);
                        attributes(out, ATTRIBUTES, point.getLabels());
                    }));
                }
            });
        }
    }

    private static void metric(CodedOutputStream scope, MetricSnapshot snapshot, String name, int kind, Writing data)
            throws IOException {
        String help = snapshot.getMetadata().getHelp();
        String unit = name.contains("_seconds") ? "s" : name.contains("_bytes") ? "By" : "";
        scope.writeBytes(2, message(metric -> {
            metric.writeString(1, name);
            if (help != null) {
                metric.writeString(2, help);
            }
            if (!unit.isEmpty()) {
                metric.writeString(3, unit);
            }
            metric.writeBytes(kind, message(data));
        }));
    }

    private ByteString number(Labels labels, double value) {
        return message(out -> {
            times(out);
            out.writeDouble(4, value);
            attributes(out, ATTRIBUTES, labels);
        });
    }

    private ByteString histogram(HistogramSnapshot.HistogramDataPointSnapshot point) {
        ClassicHistogramBuckets buckets = point.getClassicBuckets();
        ByteString counts = message(out -> {
            for (int i = 0; i < buckets.size(); i++) {
                out.writeFixed64NoTag(buckets.getCount(i));
            }
        });
        ByteString bounds = message(out -> {
            for (int i = 0; i < buckets.size() - 1; i++) { // the last bound is infinite
                out.writeDoubleNoTag(buckets.getUpperBound(i));
            }
        });
        return message(out -> {
            distribution(out, point);
            out.writeBytes(6, counts);
            out.writeBytes(7, bounds);
            attributes(out, ATTRIBUTES_OF_HISTOGRAM, point.getLabels());
        });
    }

    private void distribution(CodedOutputStream out, DistributionDataPointSnapshot point) throws IOException {
        times(out);
        out.writeFixed64(4, point.getCount());
        if (point.hasSum()) {
            out.writeDouble(5, point.getSum());
        }
    }

    private void times(CodedOutputStream out) throws IOException {
        out.writeFixed64(2, startNanos);
        out.writeFixed64(3, timeNanos);
    }

    private static void attributes(CodedOutputStream out, int field, Labels labels) throws IOException {
        for (int i = 0; i < labels.size(); i++) {
            attribute(out, field, labels.getPrometheusName(i), labels.getValue(i));
        }
    }

    private static void attributes(CodedOutputStream out, int field, Map<String, String> pairs) throws IOException {
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            attribute(out, field, pair.getKey(), pair.getValue());
        }
    }

    private static void attribute(CodedOutputStream out, int field, String name, String value) throws IOException {
        out.writeBytes(field, message(pair -> {
            pair.writeString(1, name);
            pair.writeBytes(2, message(text -> text.writeString(1, value)));
        }));
    }

    private interface Writing {
        void write(CodedOutputStream out) throws IOException;
    }

    private static ByteString message(Writing writing) {
        ByteString.Output bytes = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            writing.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes what is written to it", e);
        }
        return bytes.toByteString();
    }
}
