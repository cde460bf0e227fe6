package io.godwit.perf.load;

import io.godwit.perf.load.check.GroupCheck;
import io.godwit.perf.load.check.StreamCheck;
import io.godwit.perf.load.check.Streams;
import io.godwit.perf.load.client.PublishingClient;
import io.godwit.perf.load.client.RunContext;
import io.godwit.perf.load.client.SubscribingClient;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.List;

/**
 * Compares the messages that publishers sent with those that subscribers received, one by one. To be used after all
 * clients have stopped and their loops have handed them over.
 */
final class Accounting {
    private final RunContext run;
    private final Scenario scenario;
    private final PublishingClient[] publishers;
    private final List<SubscribingClient> subscribers;

    Accounting(RunContext run, List<PublishingClient> publishers, List<SubscribingClient> subscribers) {
        this.run = run;
        scenario = run.scenario();
        this.publishers = new PublishingClient[scenario.publishers()];
        publishers.forEach(publisher -> this.publishers[publisher.index] = publisher);
        this.subscribers = subscribers;
    }

    /**
     * Deliveries that are missing although the message was sent at QoS 0 or acknowledged. Without a sequence in
     * payloads only numbers are compared; with {@link Topology#LISTEN} these are the gaps between arrivals.
     */
    long lost(long sent, long received) {
        if (scenario.topology() == Topology.LISTEN) {
            return subscribers.stream().mapToLong(SubscribingClient::gaps).sum();
        }
        if (scenario.copies() == 0) {
            return 0;
        }
        if (!run.header().hasSequence()) {
            long unacknowledged = 0;
            for (PublishingClient publisher : publishers) {
                unacknowledged += publisher.outstanding().size();
            }
            return Math.max(0, (sent - unacknowledged) * scenario.copies() - received);
        }
        GroupCheck group = run.group();
        long lost = 0;
        if (group != null) {
            for (PublishingClient publisher : publishers) {
                lost += group.missing(publisher.index, publisher.sentTo(0));
                for (PublishingClient.Outstanding message : publisher.outstanding()) {
                    lost -= group.hasArrived(publisher.index, message.sequence()) ? 0 : 1;
                }
            }
            return lost;
        }
        for (SubscribingClient subscriber : subscribers) {
            Streams.Heard heard = Streams.heardBy(scenario, subscriber.index);
            for (int i = 0; i < heard.publishers(); i++) {
                lost += lost(publishers[heard.firstPublisher() + i], subscriber);
            }
        }
        return lost;
    }

    private long lost(PublishingClient publisher, SubscribingClient subscriber) {
        int topic = scenario.topology() == Topology.RANDOM
                ? subscriber.index
                        - Streams.writtenBy(scenario, publisher.index).firstTopic()
                : 0;
        StreamCheck stream = subscriber.stream(publisher.index);
        long lost = stream.missing(publisher.sentTo(topic));
        // The broker has not acknowledged these, so they may be missing.
        for (PublishingClient.Outstanding message : publisher.outstanding()) {
            if (message.topic() == topic && !stream.hasArrived(message.sequence())) {
                lost--;
            }
        }
        return lost;
    }
}
