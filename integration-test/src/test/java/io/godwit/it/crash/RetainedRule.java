package io.godwit.it.crash;

import io.godwit.it.crash.Publishes.Published;
import io.godwit.it.crash.Violation.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What readers of retained messages have found. Each topic has one publisher, so its versions stand in one order: a
 * reader must find the last one acknowledged before it began, or one sent before it ended that is newer.
 */
final class RetainedRule {
    private final Publishes publishes;
    private final List<Violation> violations;
    private final Map<String, Reading> readings = new HashMap<>();

    private record Reading(int begin, Map<String, @Nullable MessageId> found) {}

    RetainedRule(Publishes publishes, List<Violation> violations) {
        this.publishes = publishes;
        this.violations = violations;
    }

    void read(Event event, int position) {
        String topic = event.text();
        Reading reading = readings.get(event.client());
        switch (event.kind()) {
            case READ_BEGIN -> readings.put(event.client(), new Reading(position, new HashMap<>()));
            case READ -> {
                if (reading != null && topic != null) {
                    reading.found.put(topic, event.message());
                }
            }
            case READ_END -> {
                if (reading != null) {
                    publishes.retained().forEach((name, versions) -> check(event, name, versions, reading, position));
                    readings.remove(event.client());
                }
            }
            default -> {}
        }
    }

    private void check(Event event, String topic, List<Published> versions, Reading reading, int end) {
        int oldest = -1;
        int newest = -1;
        for (int i = 0; i < versions.size(); i++) {
            if (versions.get(i).acknowledged < reading.begin) {
                oldest = i;
            }
            if (versions.get(i).first < end) {
                newest = i;
            }
        }
        MessageId found = reading.found.get(topic);
        if (found == null && !reading.found.containsKey(topic) && !event.flag()) {
            return; // it may come yet
        }
        boolean allowed = oldest < 0 && found == null;
        for (int i = Math.max(oldest, 0); i <= newest && !allowed; i++) {
            MessageId version = versions.get(i).id;
            allowed = version == null ? found == null : version.equals(found);
        }
        if (!allowed) {
            violations.add(new Violation(
                    Rule.RETAINED,
                    event.client() + " read " + topic + " and found " + found + "; the last acknowledged was "
                            + (oldest < 0 ? "none" : versions.get(oldest).id) + " (" + (newest - oldest)
                            + " later ones were sent)"));
        }
    }
}
