package io.godwit.it.crash;

import io.godwit.it.crash.Publishes.Published;
import io.godwit.it.crash.Violation.Rule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One client's half of its session, played again from the history: packet identifiers, what is in flight over a resume,
 * the order of acknowledgements; and which received packets are deliveries (a QoS 2 packet that repeats an unreleased
 * one is not).
 */
final class SessionRules {
    private static final long UNKNOWN = -1;

    private final String client;
    private final Publishes publishes;
    private final List<Violation> violations;
    private final List<Delivery> deliveries = new ArrayList<>();

    // per session
    private enum Known {
        NO,
        PERHAPS,
        YES
    }

    private Known session = Known.NO;
    /** Received and not finished by this client, by packet id, in the order of their first arrival. */
    private final Map<Integer, Inflight> inflight = new LinkedHashMap<>();

    /** What this client finished last under each packet id. The broker may not have heard of it. */
    private final Map<Integer, MessageId> finished = new HashMap<>();

    private final Set<Integer> unreleased = new HashSet<>();
    private long arrivals;

    // per connection
    private boolean clean;
    private int connection;
    /** Those in flight when it was opened, that have not come again. */
    private final Map<Integer, Inflight> awaited = new LinkedHashMap<>();

    private long lastAgain;
    private final Deque<Integer> pubacksDue = new ArrayDeque<>();
    private final Deque<Integer> pubrecsDue = new ArrayDeque<>();
    private final Deque<Integer> pubrelsDue = new ArrayDeque<>();
    private final Set<Integer> pubcompsDue = new HashSet<>();

    /** A message given to the application. */
    record Delivery(int position, MessageId message, int qos, boolean dup, boolean retain) {}

    private static final class Inflight {
        final @Nullable MessageId message;
        final int qos;
        /** A copy that a SUBSCRIBE asked for; others of the same message may be under way for earlier ones. */
        final boolean retain;

        final long arrival;
        int connection;
        boolean received;
        /**
         * The connection ended while the broker had not acknowledged the message to its publisher. Until then it may
         * send it and forget it in a crash: it will come from its publisher again, under another packet id, since ids
         * are not handed out twice. So will a retained message of QoS 1 that was sent before it was stored: not its
         * publisher but the subscription is owed it ({@link DeliveryRules} counts).
         */
        boolean forgettable;

        Inflight(@Nullable MessageId message, int qos, boolean retain, long arrival, int connection) {
            this.message = message;
            this.qos = qos;
            this.retain = retain;
            this.arrival = arrival;
            this.connection = connection;
        }
    }

    SessionRules(String client, Publishes publishes, List<Violation> violations) {
        this.client = client;
        this.publishes = publishes;
        this.violations = violations;
    }

    List<Delivery> deliveries() {
        return deliveries;
    }

    void read(Event event, int position) {
        int id = event.packetId();
        switch (event.kind()) {
            case CONNECT_OUT -> {
                closed(position);
                connecting(event);
            }
            case CONNACK_IN -> opened(event);
            case LOST, ABORT, DISCONNECT_OUT -> closed(position);
            case PUBLISH_IN -> received(event, position);
            case PUBACK_OUT -> finished(id);
            case PUBREC_OUT -> {
                Inflight message = inflight.get(id);
                if (message != null) {
                    message.received = true;
                }
                pubrelsDue.add(id);
            }
            case PUBREL_IN -> released(id);
            case PUBCOMP_OUT -> finished(id);
            case PUBLISH_OUT -> {
                if (event.code() == 1) {
                    pubacksDue.add(id);
                } else if (event.code() == 2) {
                    pubrecsDue.add(id);
                }
            }
            case PUBREL_OUT -> pubcompsDue.add(id);
            case PUBACK_IN -> inOrder("PUBACK", pubacksDue, id);
            case PUBREC_IN -> inOrder("PUBREC", pubrecsDue, id);
            case PUBCOMP_IN -> {
                if (!pubcompsDue.remove(id)) {
                    report(Rule.ACK_ORDER, "PUBCOMP " + id + " without its PUBREL on this connection");
                }
            }
            default -> {}
        }
    }

    /** Call once behind the last event. */
    void end() {
        awaited.forEach((id, message) -> {
            if (!message.forgettable) {
                report(
                        Rule.RESEND,
                        "packet id " + id + ", " + message.message + ", was in flight and never came again");
            }
        });
    }

    private void closed(int position) {
        for (Inflight message : inflight.values()) {
            if (message.connection == connection) {
                message.forgettable = (message.retain && message.qos == 1) || !isAcknowledged(message, position);
                message.connection = 0;
            }
        }
    }

    private boolean isAcknowledged(Inflight message, int position) {
        Published published =
                message.message == null ? null : publishes.messages().get(message.message);
        return published == null || published.acknowledged < position;
    }

    private void connecting(Event event) {
        connection = event.connection();
        clean = event.flag();
        awaited.clear();
        lastAgain = -1;
        pubacksDue.clear();
        pubrecsDue.clear();
        pubrelsDue.clear();
        pubcompsDue.clear();
        if (clean && session == Known.YES) {
            session = Known.PERHAPS;
        } else if (!clean && session == Known.NO) {
            session = Known.PERHAPS;
        }
    }

    private void opened(Event event) {
        if (event.code() != 0) {
            return;
        }
        boolean present = event.flag();
        if (present && clean) {
            report(Rule.SESSION_LOST, "session present after a clean start");
        }
        if (!present) {
            if (!clean && session == Known.YES) {
                report(Rule.SESSION_LOST, "no session present, after one was acknowledged");
            }
            inflight.clear();
            finished.clear();
            unreleased.clear();
        }
        session = clean ? Known.NO : Known.YES;
        awaited.putAll(inflight);
    }

    private void received(Event event, int position) {
        MessageId message = event.message();
        int id = event.packetId();
        if (event.code() == 0) {
            delivered(event, position, message);
            return;
        }
        Inflight before = inflight.get(id);
        if (before != null && before.forgettable && !Objects.equals(before.message, message)) {
            finished(id); // it has been forgotten, and its id went once round
            before = null;
        }
        if (before == null) {
            fresh(event, message);
        } else {
            again(event, message, before);
        }
        if (event.code() == 1 || unreleased.add(id)) {
            delivered(event, position, message);
        }
    }

    private void delivered(Event event, int position, @Nullable MessageId message) {
        if (message != null) {
            deliveries.add(new Delivery(position, message, event.code(), event.flag(), event.retain()));
        }
    }

    private void fresh(Event event, @Nullable MessageId message) {
        Published published = message == null ? null : publishes.messages().get(message);
        // the broker may store a message of QoS 1 twice; then this one is the copy whose PUBACK it has not got
        boolean isKnownCopy = event.code() == 1 && message != null && message.equals(finished.get(event.packetId()));
        if (event.flag()
                && !event.retain()
                && !isKnownCopy
                && published != null
                && (published.sends == 1 || event.code() == 2)) {
            awaited.forEach((id, other) -> {
                if (message.equals(other.message)) {
                    report(
                            Rule.PACKET_ID,
                            message + " was in flight under packet id " + id + " and came again under "
                                    + event.packetId());
                }
            });
        }
        // one with DUP was finished here, but not there: where it stood in the first order is not known any more
        long arrival = event.flag() ? UNKNOWN : arrivals++;
        inflight.put(event.packetId(), new Inflight(message, event.code(), event.retain(), arrival, connection));
    }

    private void again(Event event, @Nullable MessageId message, Inflight before) {
        int id = event.packetId();
        boolean same = message == null ? before.message == null : message.equals(before.message);
        if (!same || before.qos != event.code()) {
            report(
                    Rule.PACKET_ID,
                    "packet id " + id + " is in flight for " + before.message + " and was used for " + message);
            unreleased.remove(id);
            awaited.remove(id);
            inflight.put(id, new Inflight(message, event.code(), event.retain(), arrivals++, connection));
            return;
        }
        if (before.connection == connection) {
            report(Rule.RESEND, "packet id " + id + ", " + message + ", came twice on one connection");
        } else if (!event.flag()) {
            report(Rule.RESEND, "packet id " + id + ", " + message + ", came again without DUP");
        }
        cameAgain(id, before, "PUBLISH of packet id " + id + ", " + message);
    }

    private void released(int id) {
        unreleased.remove(id);
        Inflight message = inflight.get(id);
        if (message != null) {
            if (!message.received) {
                report(Rule.ACK_ORDER, "PUBREL " + id + ", " + message.message + ", which has had no PUBREC");
            }
            if (message.connection != connection) {
                awaited.remove(id);
                message.connection = connection;
            }
        }
        if (pubrelsDue.contains(id)) {
            inOrder("PUBREL", pubrelsDue, id);
        }
    }

    private void cameAgain(int id, Inflight message, String what) {
        message.connection = connection;
        if (awaited.remove(id) != null) {
            if (message.arrival != UNKNOWN && message.arrival < lastAgain) {
                report(Rule.RESEND, what + ", came again behind a later one");
            }
            lastAgain = Math.max(lastAgain, message.arrival);
        }
    }

    private void finished(int id) {
        Inflight message = inflight.remove(id);
        if (message != null && message.message != null) {
            finished.put(id, message.message);
        }
        awaited.remove(id);
    }

    private void inOrder(String what, Deque<Integer> due, int id) {
        Integer first = due.peek();
        if (first != null && first == id) {
            due.remove();
        } else if (due.remove((Integer) id)) {
            report(Rule.ACK_ORDER, what + ' ' + id + " came while that of " + first + " was due");
        } else {
            report(Rule.ACK_ORDER, what + ' ' + id + " without its cause on this connection");
        }
    }

    private void report(Rule rule, String text) {
        violations.add(new Violation(rule, client + ", connection " + connection + ": " + text));
    }
}
