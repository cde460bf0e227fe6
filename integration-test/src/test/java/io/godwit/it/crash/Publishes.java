package io.godwit.it.crash;

import io.godwit.it.crash.Event.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All that was published in a history, wills included, and what its publishers know of it. Times are positions in the
 * history; {@link #NEVER} is behind its end.
 */
final class Publishes {
    static final int NEVER = Integer.MAX_VALUE;
    /** How long before a kill or a takeover a DISCONNECT may be that the broker has perhaps not read. */
    private static final long UNREAD_NANOS = 1_000_000_000;
    /** A node that refuses something may refuse more for so long; with a full disk it refuses some and takes others. */
    private static final long REFUSING_NANOS = 10_000_000_000L;

    private final Map<MessageId, Published> messages = new LinkedHashMap<>();
    /** By topic: what its publisher set and cleared, in order. */
    private final Map<String, List<Published>> retained = new HashMap<>();
    /** By client and packet id: not finished. */
    private final Map<String, Map<Integer, Published>> outstanding = new HashMap<>();
    /** By client: of the standing connection. */
    private final Map<String, PendingWill> wills = new HashMap<>();
    /** By client that is away: its delayed will. */
    private final Map<String, PendingWill> delayedWills = new HashMap<>();

    /** By client: when it last heard that a publish was refused. */
    private final Map<String, Long> refusedNanos = new HashMap<>();

    private final List<PendingWill> disconnected = new ArrayList<>();
    /** From a kill until the broker is there again nobody reads a DISCONNECT. */
    private boolean isDown;
    /** A node of several is down; who held which connection is not known here. */
    private boolean isNodeDown;

    /** Where a node that was lost, one at a time, served again. */
    private final List<Integer> returns = new ArrayList<>();

    /** One message, or one clearing of a retained one. */
    static final class Published {
        final @Nullable MessageId id;
        final int qos;
        final boolean will;
        /** When it was sent for the first time; for a will, its CONNECT. */
        final int first;
        /** From when on the broker owes it; {@link #NEVER} when that is not known. */
        int acknowledged = NEVER;

        int sends = 1;
        boolean refused;
        /** Its first sending may have been refused, and its publisher lost the connection before it heard of that. */
        boolean perhapsRefused;
        /**
         * A will whose client disconnected properly, and the broker had the time to read it; or whose client was back
         * before its delay was over.
         */
        boolean cancelled;

        Published(@Nullable MessageId id, int qos, boolean will, int first) {
            this.id = id;
            this.qos = qos;
            this.will = will;
            this.first = first;
        }
    }

    private static final class PendingWill {
        final String client;
        final Published published;
        /** 0 for a will that is due at once. */
        final long delayNanos;

        boolean accepted;
        long disconnectedNanos;
        /** When the connection ended, if not by a DISCONNECT. */
        long endedNanos;

        PendingWill(String client, Published published, @Nullable String delaySeconds) {
            this.client = client;
            this.published = published;
            this.delayNanos = delaySeconds == null ? 0 : TimeUnit.SECONDS.toNanos(Long.parseLong(delaySeconds));
        }
    }

    Publishes(List<Event> events) {
        for (int position = 0; position < events.size(); position++) {
            read(events.get(position), position);
        }
        disconnected.forEach(will -> will.published.cancelled = true);
    }

    Map<MessageId, Published> messages() {
        return messages;
    }

    Map<String, List<Published>> retained() {
        return retained;
    }

    /**
     * How often a node may have been lost with a message that was sent then, and may have stored it. The node that the
     * publisher is connected to sends it again to the next one.
     */
    int lossesSince(int position) {
        int losses = isNodeDown ? 1 : 0;
        for (int back : returns) {
            losses += back > position ? 1 : 0;
        }
        return losses;
    }

    private void read(Event event, int position) {
        Map<Integer, Published> open = outstanding.computeIfAbsent(event.client(), client -> new HashMap<>());
        switch (event.kind()) {
            case PUBLISH_OUT -> sent(event, position, open);
            case PUBACK_IN, PUBREC_IN -> {
                if (event.code() >= 0x80) {
                    refusedNanos.put(event.client(), event.nanos());
                }
                Published message = open.get(event.packetId());
                if (message != null) {
                    acknowledged(event, position, message);
                    if (event.kind() == Kind.PUBACK_IN || message.refused) {
                        open.remove(event.packetId());
                    }
                }
            }
            case PUBCOMP_IN -> open.remove(event.packetId());
            case CONNECT_OUT -> {
                Long refused = refusedNanos.get(event.client());
                if (refused != null && event.nanos() - refused < REFUSING_NANOS) {
                    open.values().forEach(message -> message.perhapsRefused = true);
                }
                willDue(event, position);
                judgeDisconnected(event);
                MessageId will = event.message();
                if (will != null) {
                    Published published = new Published(will, event.code(), true, position);
                    messages.put(will, published);
                    wills.put(event.client(), new PendingWill(event.client(), published, event.text()));
                }
            }
            case CONNACK_IN -> {
                PendingWill will = wills.get(event.client());
                if (event.code() == 0 && will != null) {
                    will.accepted = true;
                }
                if (event.code() == 0) {
                    isBack(event);
                }
                if (event.code() == 0 && !event.flag()) {
                    open.clear();
                }
            }
            case ABORT, LOST -> willDue(event, position);
            case DISCONNECT_OUT -> {
                PendingWill will = wills.remove(event.client());
                if (will != null && !isDown && !isNodeDown) {
                    will.disconnectedNanos = event.nanos();
                    disconnected.add(will);
                }
            }
            case KILL -> {
                isDown = true;
                judgeDisconnected(event);
            }
            case READY -> isDown = false;
            case NODE_LOST -> {
                isNodeDown = true;
                judgeDisconnected(event);
            }
            case NODE_BACK -> {
                isNodeDown = false;
                returns.add(position);
            }
            default -> {}
        }
    }

    /** A kill, or a takeover by the same client, may come before a DISCONNECT that was sent earlier has been read. */
    private void judgeDisconnected(Event event) {
        disconnected.removeIf(will -> {
            boolean concerned = event.kind() == Kind.KILL
                    || event.kind() == Kind.NODE_LOST
                    || event.client().equals(will.client);
            if (concerned) {
                will.published.cancelled = event.nanos() - will.disconnectedNanos >= UNREAD_NANOS;
            }
            return concerned;
        });
    }

    private void sent(Event event, int position, Map<Integer, Published> open) {
        Published before = open.get(event.packetId());
        if (event.flag() && before != null) {
            before.sends++;
            return;
        }
        MessageId id = event.message();
        Published message = new Published(id, event.code(), false, position);
        if (id != null) {
            messages.put(id, message);
        }
        String topic = event.text();
        if (event.retain() && topic != null) {
            retained.computeIfAbsent(topic, key -> new ArrayList<>()).add(message);
        }
        if (event.code() > 0) {
            open.put(event.packetId(), message);
        }
    }

    private static void acknowledged(Event event, int position, Published message) {
        if (event.code() >= 0x80) {
            message.refused = true;
        } else if (message.acknowledged == NEVER) {
            message.acknowledged = position;
        }
    }

    /**
     * The client's connection has ended, and not by a DISCONNECT of its own. While a node is down the will may be
     * published or not: whoever is served elsewhere by the time that the others give the node up has none.
     */
    private void willDue(Event event, int position) {
        PendingWill will = wills.remove(event.client());
        if (will == null || !will.accepted) {
            return;
        }
        if (will.delayNanos > 0) {
            will.endedNanos = event.nanos();
            delayedWills.put(event.client(), will);
        } else if (!isNodeDown) {
            will.published.acknowledged = position;
        }
    }

    /** A delayed will is never owed here. It is cancelled if its client has found its session again in time. */
    private void isBack(Event event) {
        PendingWill will = delayedWills.remove(event.client());
        if (will != null && event.flag() && event.nanos() - will.endedNanos < will.delayNanos) {
            will.published.cancelled = true;
        }
    }
}
