package io.godwit.it.crash;

import io.godwit.it.crash.Violation.Rule;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Who is connected to a node stays connected while another one is lost, unless that one refuses what its ranges are
 * asked for. A CONNECT without an answer leaves the client in doubt: it may be carried out late, and end the connection
 * that its client has opened since.
 */
final class SurvivorRule {
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int NONE = 0;

    private final List<Violation> violations;
    /** By client: the node of its last CONNECT, from 1. */
    private final Map<String, Integer> nodes = new HashMap<>();
    /** By client id: the time of its last CONNECT that has had no answer. */
    private final Map<String, Long> unanswered = new HashMap<>();
    /** By client id, {@code unanswered} that another CONNECT has followed. */
    private final Map<String, Long> doubts = new HashMap<>();

    private final Set<String> open = new HashSet<>();
    private int lost = NONE;

    SurvivorRule(List<Violation> violations) {
        this.violations = violations;
    }

    void read(Event event) {
        String client = event.client();
        switch (event.kind()) {
            case CONNECT_OUT -> connecting(event);
            case CONNACK_IN -> {
                unanswered.remove(id(client));
                if (event.code() == 0) {
                    open.add(client);
                }
            }
            case ABORT, DISCONNECT_OUT -> open.remove(client);
            case LOST -> ended(event);
            case NODE_LOST -> lost = event.flag() ? NONE : event.connection() + 1;
            case NODE_BACK -> lost = NONE;
            default -> {}
        }
    }

    private void connecting(Event event) {
        String id = id(event.client());
        Long before = unanswered.put(id, event.nanos());
        if (before != null) {
            doubts.put(id, before);
        }
        open.remove(event.client());
        nodes.put(event.client(), event.packetId());
    }

    private void ended(Event event) {
        String client = event.client();
        int node = nodes.getOrDefault(client, NONE);
        if (!open.remove(client) || lost == NONE || node == NONE || node == lost) {
            return;
        }
        Long doubt = doubts.get(id(client));
        if (doubt == null || event.nanos() - doubt > DOUBT_NANOS) {
            violations.add(new Violation(
                    Rule.SURVIVOR,
                    client + ", connection " + event.connection() + " to node " + (node - 1)
                            + ", was ended while node " + (lost - 1) + " was lost, at "
                            + TimeUnit.NANOSECONDS.toMillis(event.nanos()) + " ms"));
        }
    }

    /** In the history each connection of a client without session is a client of its own. */
    private static String id(String client) {
        int end = client.indexOf('~');
        return end < 0 ? client : client.substring(0, end);
    }
}
