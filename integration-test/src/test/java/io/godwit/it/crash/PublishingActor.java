package io.godwit.it.crash;

import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Stage.Phase;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Publishes to its topics in turn, at a rate, as far as its window of unacknowledged messages allows. */
final class PublishingActor extends Actor {
    private static final long TAKEOVER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Spec spec;
    private final long[] sequences;
    private double due;
    private long lastNanos = System.nanoTime();
    private long takeoverNanos;

    /**
     * @param clears which share of the messages clears the retained message of its topic; 0 for topics that are not
     *     retained
     * @param takeovers whether it takes its own session over while the run asks for takeovers
     */
    record Spec(
            String name,
            List<String> topics,
            int qos,
            double perSecond,
            int maxPayloadBytes,
            boolean retain,
            double clears,
            boolean takeovers) {}

    PublishingActor(TestClient client, Stage stage, Random random, Spec spec) {
        super(client, stage, random);
        this.spec = spec;
        this.sequences = new long[spec.topics().size()];
    }

    @Override
    boolean isSetUp() {
        return client.isOpen();
    }

    @Override
    boolean isDrained() {
        return client.unacknowledged() == 0;
    }

    @Override
    void step() throws IOException {
        ensureConnected();
        long now = System.nanoTime();
        if (spec.takeovers && stage.takeovers() && now - takeoverNanos > TAKEOVER_NANOS) {
            takeoverNanos = now;
            connect();
        }
        due = Math.min(due + (now - lastNanos) * spec.perSecond / 1e9, spec.perSecond / 2);
        lastNanos = now;
        if (stage.phase() == Phase.LOAD) {
            while (due >= 1 && client.canPublish()) {
                due--;
                publishOne();
            }
            client.flush();
        }
        Pace.passNanos(4_000_000);
    }

    private void publishOne() throws IOException {
        double draw = random.nextDouble();
        // a retained topic must also be left alone for a while, or no reader would meet a forgotten change
        int which = (int) (sequences.length * (spec.retain ? draw * draw * draw : draw));
        String topic = spec.topics.get(which);
        byte[] payload = random.nextDouble() < spec.clears
                ? new byte[0]
                : new MessageId(spec.name, topic, spec.qos, sequences[which]++)
                        .payload(48 + random.nextInt(spec.maxPayloadBytes));
        client.publish(topic, payload, spec.qos, spec.retain, Properties.NONE);
    }
}
