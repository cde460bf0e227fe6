package io.godwit.perf.load.client;

import io.godwit.perf.load.check.GroupCheck;
import io.godwit.perf.load.check.MessageHeader;
import io.godwit.perf.load.measure.MeasuredTime;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import org.jspecify.annotations.Nullable;

/**
 * What all clients of a run share.
 *
 * @param id of the run: topics and client ids begin with it, so that messages of another run are not taken for ours
 * @param topics the topics that the user wants, with %i for the number of the client; null: topics of this run alone
 * @param group null unless the subscribers are a shared group
 */
public record RunContext(
        String id,
        Scenario scenario,
        LoadSettings settings,
        ClientSettings clients,
        MessageHeader header,
        @Nullable String topics,
        @Nullable GroupCheck group,
        MeasuredTime measured) {

    /** A context for the practice connections: with client ids of its own and clean sessions. */
    public RunContext practising() {
        return new RunContext(
                id + "-practice",
                scenario.with(s -> s.cleanSession(true)),
                settings,
                clients,
                header,
                topics,
                group,
                new MeasuredTime());
    }

    /** This context with the settings {@code others} for connecting. */
    public RunContext with(ClientSettings others) {
        return new RunContext(id, scenario, settings, others, header, topics, group, measured);
    }

    /** Whether the opening of connections is measured. */
    public boolean isConnecting() {
        return scenario.isConnecting();
    }

    /** The topic that publisher {@code index} publishes to; with {@link Topology#RANDOM} the topic with that number. */
    String topic(int index) {
        if (topics != null) {
            return topics.replace("%i", Integer.toString(index));
        }
        return prefix() + (scenario.topology() == Topology.FAN_OUT ? "all" : index);
    }

    private String prefix() {
        return "perf/" + id + "/";
    }

    /** The filter that subscriber {@code index} subscribes to. */
    String filter(int index) {
        return scenario.topology() == Topology.SHARED ? "$share/perf/" + prefix() + "+" : topic(index);
    }

    String clientId(String role, int index) {
        return "perf-" + id + "-" + role + index;
    }
}
