package io.godwit.it.crash;

import io.godwit.it.wire.TopicMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each client was subscribed to, and when: for certain, and perhaps. Times are positions in the history. */
final class Subscriptions {
    private static final String SHARE = "$share/";

    private final Map<String, List<Window>> byClient = new LinkedHashMap<>();
    private final Map<String, Boolean> clean = new HashMap<>();
    private final Map<String, List<Ask>> asks = new HashMap<>();

    /**
     * One SUBSCRIBE of a filter that is not shared: retained messages are given to each.
     *
     * @param asked its position
     */
    record Ask(String filter, int asked) {}

    /** One subscription from its SUBSCRIBE to its end. */
    static final class Window {
        final String client;
        final @Nullable String group;
        final String filter;
        /** The SUBSCRIBE. */
        final int asked;
        /** The SUBACK. */
        int certainFrom = Publishes.NEVER;
        /** The last SUBSCRIBE that was granted: what is retained is given to each. */
        int granted;
        /** The UNSUBSCRIBE, or whatever else may have ended it. */
        int certainUntil = Publishes.NEVER;
        /** The UNSUBACK, or whatever else has ended it. */
        int possibleUntil = Publishes.NEVER;
        /** Ended with its session: what was still queued is gone. */
        boolean discarded;

        int qos;
        private int lastAsked;

        Window(String client, String text, int asked) {
            this.client = client;
            this.asked = asked;
            this.lastAsked = asked;
            if (text.startsWith(SHARE)) {
                int slash = text.indexOf('/', SHARE.length());
                group = text;
                filter = text.substring(slash + 1);
            } else {
                group = null;
                filter = text;
            }
        }

        boolean matches(String topic) {
            return TopicMatch.matches(filter, topic);
        }

        /** Acknowledged, and nothing may have ended it. */
        boolean isStanding() {
            return certainFrom != Publishes.NEVER && certainUntil == Publishes.NEVER && !discarded;
        }

        private boolean isOf(String text) {
            return text.equals(group == null ? filter : group);
        }
    }

    Subscriptions(List<Event> events) {
        for (int position = 0; position < events.size(); position++) {
            read(events.get(position), position);
        }
    }

    Map<String, List<Window>> byClient() {
        return byClient;
    }

    /** What the client has asked for, in order, answered or not. */
    List<Ask> asks(String client) {
        return asks.getOrDefault(client, List.of());
    }

    private void read(Event event, int position) {
        List<Window> windows = byClient.computeIfAbsent(event.client(), client -> new ArrayList<>());
        String text = event.text();
        switch (event.kind()) {
            case SUBSCRIBE_OUT -> {
                if (text != null) {
                    Window standing = open(windows, text);
                    if (standing == null || standing.certainUntil != Publishes.NEVER) {
                        windows.add(new Window(event.client(), text, position));
                    } else {
                        standing.lastAsked = position;
                    }
                    if (!text.startsWith(SHARE)) {
                        asks.computeIfAbsent(event.client(), client -> new ArrayList<>())
                                .add(new Ask(text, position));
                    }
                }
            }
            case SUBACK_IN -> {
                Window window = text == null ? null : open(windows, text);
                if (window != null && event.code() < 0x80) {
                    window.granted = window.lastAsked;
                    if (window.certainFrom == Publishes.NEVER) {
                        window.certainFrom = position;
                        window.qos = event.code();
                    }
                }
            }
            case UNSUBSCRIBE_OUT ->
                windows.stream()
                        .filter(window -> text != null && window.isOf(text))
                        .forEach(window -> window.certainUntil = Math.min(window.certainUntil, position));
            case UNSUBACK_IN ->
                windows.stream()
                        .filter(window -> text != null && window.isOf(text) && event.code() < 0x80)
                        .forEach(window -> window.possibleUntil = Math.min(window.possibleUntil, position));
            case CONNECT_OUT -> {
                if (event.flag()) {
                    ended(windows, position, false, true);
                }
                clean.put(event.client(), event.flag());
            }
            case CONNACK_IN -> {
                if (event.code() == 0 && !event.flag()) {
                    // unless the client wished it, what the session was owed is owed all the same
                    ended(windows, position, true, clean.getOrDefault(event.client(), false));
                }
            }
            case ABORT, LOST, DISCONNECT_OUT -> {
                if (clean.getOrDefault(event.client(), false)) {
                    ended(windows, position, false, true);
                }
            }
            default -> {}
        }
    }

    private static void ended(List<Window> windows, int position, boolean certainly, boolean discarded) {
        for (Window window : windows) {
            window.certainUntil = Math.min(window.certainUntil, position);
            window.discarded |= discarded;
            if (certainly) {
                window.possibleUntil = Math.min(window.possibleUntil, position);
            }
        }
    }

    /** The latest window of the filter that has not certainly ended. */
    private static @Nullable Window open(List<Window> windows, String text) {
        for (int i = windows.size() - 1; i >= 0; i--) {
            Window window = windows.get(i);
            if (window.isOf(text)) {
                return window.possibleUntil == Publishes.NEVER ? window : null;
            }
        }
        return null;
    }
}
