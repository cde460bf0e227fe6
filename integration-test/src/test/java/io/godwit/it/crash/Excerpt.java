package io.godwit.it.crash;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The part of a history that explains violations: a failure on another machine often leaves only its message behind.
 */
final class Excerpt {
    private static final int MAX_MESSAGES = 2;
    private static final int MAX_LINES = 80;

    /** How long before its first message an excerpt begins. */
    private static final long BEFORE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** One use of a packet identifier. */
    private record Use(String client, int connection, int packetId) {}

    private Excerpt() {}

    /**
     * The events of the first messages that the violations name, their acknowledgements, the connections of the clients
     * that sent or received them, and the nodes that were lost. At most {@link #MAX_LINES} lines, each with the seconds
     * since the beginning.
     */
    static String of(List<Event> events, List<Violation> violations) {
        Set<MessageId> named = events.stream()
                .map(Event::message)
                .filter(message -> message != null
                        && violations.stream().anyMatch(each -> each.text().contains(message.toString())))
                .distinct()
                .limit(MAX_MESSAGES)
                .collect(Collectors.toSet());
        Set<String> clients = events.stream()
                .filter(event -> named.contains(event.message())
                        && (event.kind() == Event.Kind.PUBLISH_OUT || names(violations, event.client())))
                .map(Event::client)
                .collect(Collectors.toSet());
        Set<Use> shown = new HashSet<>();
        long begin = events.stream()
                .filter(event -> named.contains(event.message()))
                .mapToLong(event -> event.nanos() - BEFORE_NANOS)
                .findFirst()
                .orElse(0);
        return events.stream()
                .filter(event -> event.nanos() >= begin)
                .filter(event -> concerns(event, named, clients, shown))
                .limit(MAX_LINES)
                .map(Excerpt::line)
                .collect(Collectors.joining("\n"));
    }

    private static boolean names(List<Violation> violations, String client) {
        return violations.stream().anyMatch(each -> each.text().contains(client));
    }

    /** @param shown uses of packet identifiers for the named messages */
    private static boolean concerns(Event event, Set<MessageId> named, Set<String> clients, Set<Use> shown) {
        Use use = new Use(event.client(), event.connection(), event.packetId());
        return switch (event.kind()) {
            case NODE_LOST, NODE_BACK, KILL, READY -> true;
            case CONNECT_OUT, CONNACK_IN, DISCONNECT_OUT, DISCONNECT_IN, ABORT, LOST ->
                clients.contains(event.client());
            case PUBLISH_OUT, PUBLISH_IN -> {
                boolean isNamed = named.contains(event.message()) && clients.contains(event.client());
                if (isNamed) {
                    shown.add(use);
                } else {
                    shown.remove(use); // the identifier is used for another message
                }
                yield isNamed;
            }
            case PUBACK_IN, PUBREC_IN, PUBREL_OUT, PUBCOMP_IN, PUBACK_OUT, PUBREC_OUT, PUBREL_IN, PUBCOMP_OUT ->
                shown.contains(use);
            default -> false;
        };
    }

    private static String line(Event event) {
        MessageId message = event.message();
        return String.format(
                Locale.ROOT,
                "  %8.3f %s %s connection %d id %d code %d%s%s",
                event.nanos() / 1e9,
                event.kind(),
                event.client(),
                event.connection(),
                event.packetId(),
                event.code(),
                event.flag() ? " flag" : "",
                message == null ? "" : " " + message);
    }
}
