package io.godwit.perf.load.check;

import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;

/** Assigns topics to publishers, and publishers to subscribers. */
public final class Streams {
    private Streams() {}

    /** The publishers whose messages a subscriber receives. */
    public record Heard(int firstPublisher, int publishers) {}

    /** The topics that a publisher publishes to. */
    public record Written(int firstTopic, int topics) {}

    public static Heard heardBy(Scenario scenario, int subscriber) {
        return switch (scenario.topology()) {
            case ONE_TO_ONE -> new Heard(subscriber, 1);
            case RANDOM -> new Heard(ownerOf(scenario, subscriber), 1);
            case FAN_OUT, SHARED -> new Heard(0, scenario.publishers());
            case FAN_IN, LISTEN, CONNECTIONS, CONNECT_AND_PUBLISH -> new Heard(0, 0);
        };
    }

    public static Written writtenBy(Scenario scenario, int publisher) {
        if (scenario.topology() != Topology.RANDOM) {
            return new Written(publisher, 1);
        }
        int first = firstTopicOf(scenario, publisher);
        return new Written(first, firstTopicOf(scenario, publisher + 1) - first);
    }

    /** The first topic of a publisher; topics are split into as many ranges as there are publishers. */
    private static int firstTopicOf(Scenario scenario, int publisher) {
        return (int) ((long) scenario.subscribers() * publisher / scenario.publishers());
    }

    private static int ownerOf(Scenario scenario, int topic) {
        int publisher = (int) ((long) topic * scenario.publishers() / scenario.subscribers());
        while (firstTopicOf(scenario, publisher + 1) <= topic) {
            publisher++;
        }
        return publisher;
    }
}
