package io.godwit.broker.metrics;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.broker.metrics.wire.FiguresRequest;
import io.godwit.broker.metrics.wire.HistoryAnswer;
import io.godwit.broker.metrics.wire.Kind;
import io.godwit.broker.metrics.wire.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Encodes the last hour of nodes; {@code figures_protocol.proto} defines the messages. */
final class HistoryWire {
    private static final int MAX_BOUNDS = 64;
    /** Bound of an answer: the largest valid one is smaller. */
    static final int MAX_BYTES = 1 << 20;

    private HistoryWire() {}

    static byte[] request(long sinceMillis) {
        return FiguresRequest.newBuilder()
                .setVersion(FiguresWire.VERSION)
                .setKind(Kind.HISTORY)
                .setSinceMillis(sinceMillis)
                .build()
                .toByteArray();
    }

    static byte[] answer(String name, List<Double> bounds, List<NodeHistory.Sample> samples) {
        TreeSet<String> reasons = new TreeSet<>();
        samples.forEach(sample -> reasons.addAll(sample.droppedPerSecond().keySet()));
        HistoryAnswer.Builder answer = HistoryAnswer.newBuilder()
                .setName(name)
                .addAllBoundsMillis(bounds)
                .addAllReasons(reasons);
        for (NodeHistory.Sample sample : samples) {
            Sample.Builder each = Sample.newBuilder()
                    .setAtMillis(sample.atMillis())
                    .setConnections(sample.connections())
                    .setInPerSecond(sample.inPerSecond())
                    .setOutPerSecond(sample.outPerSecond())
                    .addAllLatencies(sample.latencies());
            if (!sample.droppedPerSecond().isEmpty()) {
                reasons.forEach(reason ->
                        each.addDroppedPerSecond(sample.droppedPerSecond().getOrDefault(reason, 0.0)));
            }
            answer.addSamples(each);
        }
        return answer.build().toByteArray();
    }

    /**
     * Decodes the answer of the node {@code id}.
     *
     * @throws InvalidProtocolBufferException if it is no such message
     * @throws IllegalArgumentException if it has more than a node sends, or impossible values
     */
    static NodeHistory history(String id, byte[] answer) throws InvalidProtocolBufferException {
        HistoryAnswer read = HistoryAnswer.parseFrom(answer);
        boolean isSmall = read.getSamplesCount() <= HistorySource.MAX_SAMPLES
                && read.getReasonsCount() <= LastHour.MAX_REASONS
                && read.getReasonsList().stream().allMatch(reason -> reason.length() <= FiguresWire.MAX_NAME)
                && read.getBoundsMillisCount() <= MAX_BOUNDS
                && read.getName().length() <= FiguresWire.MAX_NAME;
        if (!isSmall) {
            throw new IllegalArgumentException("a history of " + read.getSamplesCount() + " samples");
        }
        List<NodeHistory.Sample> samples = new ArrayList<>();
        long last = Long.MIN_VALUE;
        for (Sample sample : read.getSamplesList()) {
            if (sample.getAtMillis() <= last) {
                throw new IllegalArgumentException("a sample at " + sample.getAtMillis() + " after " + last);
            }
            last = sample.getAtMillis();
            samples.add(sample(read, sample));
        }
        return new NodeHistory(id, read.getName(), read.getBoundsMillisList(), samples);
    }

    private static NodeHistory.Sample sample(HistoryAnswer read, Sample sample) {
        boolean fits = (sample.getDroppedPerSecondCount() == 0
                        || sample.getDroppedPerSecondCount() == read.getReasonsCount())
                && (sample.getLatenciesCount() == 0 || sample.getLatenciesCount() == read.getBoundsMillisCount() + 1)
                && isCount(sample.getConnections())
                && isCount(sample.getInPerSecond())
                && isCount(sample.getOutPerSecond())
                && sample.getDroppedPerSecondList().stream().allMatch(HistoryWire::isCount)
                && sample.getLatenciesList().stream().allMatch(count -> count >= 0);
        if (!fits) {
            throw new IllegalArgumentException("a sample that cannot be, at " + sample.getAtMillis());
        }
        Map<String, Double> dropped = new TreeMap<>();
        for (int i = 0; i < sample.getDroppedPerSecondCount(); i++) {
            if (sample.getDroppedPerSecond(i) > 0) {
                dropped.put(read.getReasons(i), sample.getDroppedPerSecond(i));
            }
        }
        return new NodeHistory.Sample(
                sample.getAtMillis(),
                sample.getConnections(),
                sample.getInPerSecond(),
                sample.getOutPerSecond(),
                dropped,
                sample.getLatenciesList());
    }

    private static boolean isCount(double value) {
        return value >= 0 && value <= Long.MAX_VALUE;
    }
}
