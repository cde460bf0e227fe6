package io.godwit.perf.load;

import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import org.jspecify.annotations.Nullable;

/**
 * What all clients of a run share.
 *
 * @param id of the run: topics and client ids begin with it, so that nothing of another run is taken for ours
 * @param topics what the user wants the topics to be, %i standing for the number of the client; null: topics of this
 *     run alone
 * @param group only where the subscribers are a shared group
 */
record RunContext(
        String id,
        Scenario scenario,
        LoadSettings settings,
        ClientSettings clients,
        MessageHeader header,
        @Nullable String topics,
        @Nullable GroupCheck group,
        MeasuredTime measured) {

    /** The same with client ids of its own and clean sessions. */
    RunContext practising() {
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

    /** The same for clients that connect as {@code others}. */
    RunContext with(ClientSettings others) {
        return new RunContext(id, scenario, settings, others, header, topics, group, measured);
    }

    /** Whether opening connections is what is measured. */
    boolean isConnecting() {
        return scenario.isConnecting();
    }

    /** What publisher {@code index} publishes to; with {@link Topology#RANDOM} the topic of that number. */
    String topic(int index) {
        if (topics != null) {
            return topics.replace("%i", Integer.toString(index));
        }
        return prefix() + (scenario.topology() == Topology.FAN_OUT ? "all" : index);
    }

    private String prefix() {
        return "perf/" + id + "/";
    }

    /** What subscriber {@code index} subscribes to. */
    String filter(int index) {
        return scenario.topology() == Topology.SHARED ? "$share/perf/" + prefix() + "+" : topic(index);
    }

    String clientId(String role, int index) {
        return "perf-" + id + "-" + role + index;
    }
}
