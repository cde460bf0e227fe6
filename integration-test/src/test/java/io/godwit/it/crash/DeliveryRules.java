package io.godwit.it.crash;

import io.godwit.it.crash.Publishes.Published;
import io.godwit.it.crash.SessionRules.Delivery;
import io.godwit.it.crash.Subscriptions.Window;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.wire.TopicMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was delivered, against what was published to whom. */
final class DeliveryRules {
    private final Publishes publishes;
    private final Subscriptions subscriptions;
    private final Map<String, List<Delivery>> deliveries;
    private final List<Violation> violations;

    DeliveryRules(
            Publishes publishes,
            Subscriptions subscriptions,
            Map<String, List<Delivery>> deliveries,
            List<Violation> violations) {
        this.publishes = publishes;
        this.subscriptions = subscriptions;
        this.deliveries = deliveries;
        this.violations = violations;
    }

    void check() {
        Map<String, Set<MessageId>> seen = new HashMap<>();
        deliveries.forEach((client, list) -> {
            Set<MessageId> messages = new HashSet<>();
            list.forEach(delivery -> messages.add(delivery.message()));
            seen.put(client, messages);
            List<Window> windows = subscriptions.byClient().getOrDefault(client, List.of());
            onlyWhatWasAskedFor(client, list, windows);
            copies(client, list, windows);
            retainedCopies(client, list);
            order(client, list, windows);
        });
        nothingLost(seen);
        subscriptions
                .byClient()
                .forEach((client, windows) -> retainedGiven(windows, deliveries.getOrDefault(client, List.of())));
        sharedOnce();
    }

    private void onlyWhatWasAskedFor(String client, List<Delivery> list, List<Window> windows) {
        for (Delivery delivery : list) {
            Published published = publishes.messages().get(delivery.message());
            if (published == null || published.first > delivery.position()) {
                report(Rule.PHANTOM, client + " was given " + delivery.message() + ", which nobody had published");
                continue;
            }
            if (published.cancelled) {
                report(Rule.WILL_CANCELLED, client + " was given " + delivery.message());
            }
            boolean askedFor = windows.stream()
                    .anyMatch(window -> window.possibleUntil > published.first
                            && window.asked < delivery.position()
                            && window.matches(delivery.message().topic()));
            if (!askedFor) {
                report(
                        Rule.UNSUBSCRIBED,
                        client + " was given " + delivery.message() + ", published behind its UNSUBACK");
            }
        }
    }

    private void copies(String client, List<Delivery> list, List<Window> windows) {
        Map<MessageId, Integer> firstCopies = new HashMap<>();
        Map<MessageId, Integer> qos2Copies = new HashMap<>();
        for (Delivery delivery : list) {
            if (delivery.retain()) {
                continue; // see retainedCopies
            }
            if (delivery.qos() == 2) {
                qos2Copies.merge(delivery.message(), 1, Integer::sum);
            } else if (!delivery.dup() && !isShared(delivery.message(), windows)) {
                firstCopies.merge(delivery.message(), 1, Integer::sum);
            }
        }
        qos2Copies.forEach((message, count) -> {
            if (count > 1) {
                report(Rule.QOS2_TWICE, client + " was given " + message + ' ' + count + " times");
            }
        });
        firstCopies.forEach((message, count) -> {
            Published published = publishes.messages().get(message);
            // what has a token is recognised when it is sent again
            boolean hasToken = published == null || published.qos == 2 || published.will;
            int allowed = published == null || published.qos == 2 ? 1 : published.sends;
            allowed += hasToken ? 0 : publishes.lossesSince(published.first);
            if (count > allowed) {
                report(
                        Rule.QOS1_COPY,
                        client + " was given " + message + ' ' + count + " times without DUP; it was published "
                                + published.sends + " times");
            }
        });
    }

    /**
     * What a member of a group leaves unacknowledged goes to another, who may have had it; or to itself, begun anew.
     */
    private static boolean isShared(MessageId message, List<Window> windows) {
        return windows.stream().anyMatch(window -> window.group != null && window.matches(message.topic()));
    }

    /** A retained message of QoS 2 comes once for each SUBSCRIBE that it matches, up to any moment. */
    private void retainedCopies(String client, List<Delivery> list) {
        Map<MessageId, Integer> copies = new HashMap<>();
        for (Delivery delivery : list) {
            if (!delivery.retain() || delivery.qos() < 2) {
                continue;
            }
            MessageId message = delivery.message();
            long allowed = subscriptions.asks(client).stream()
                    .filter(ask ->
                            ask.asked() < delivery.position() && TopicMatch.matches(ask.filter(), message.topic()))
                    .count();
            if (copies.merge(message, 1, Integer::sum) > allowed) {
                report(
                        Rule.QOS2_TWICE,
                        client + " was given the retained " + message + " for the " + copies.get(message)
                                + ". time, and had asked for it " + allowed + " times");
            }
        }
    }

    /** The last subscription that stands is given what was retained then, and is still. */
    private void retainedGiven(List<Window> windows, List<Delivery> list) {
        Map<MessageId, Integer> last = new HashMap<>();
        list.forEach(delivery -> last.put(delivery.message(), delivery.position()));
        for (Window window : windows) {
            if (window.group != null || !window.isStanding() || window.qos == 0) {
                continue;
            }
            publishes.retained().forEach((topic, versions) -> {
                Published current = versions.get(versions.size() - 1);
                MessageId message = current.id;
                if (message != null
                        && current.qos > 0
                        && !current.refused
                        && current.acknowledged < window.granted
                        && window.matches(topic)
                        && last.getOrDefault(message, -1) < window.granted) {
                    report(
                            Rule.RETAINED,
                            window.client + " was never given the retained " + message + " after its last SUBSCRIBE");
                }
            });
        }
    }

    private void order(String client, List<Delivery> list, List<Window> windows) {
        Map<MessageId.Stream, Long> last = new HashMap<>();
        Set<MessageId> seen = new HashSet<>();
        for (Delivery delivery : list) {
            MessageId message = delivery.message();
            boolean promised =
                    !delivery.retain() && !isShared(message, windows) && isFirstSendingOwed(message, windows);
            if (promised && seen.add(message)) {
                Long before = last.put(message.stream(), message.sequence());
                if (before != null && before > message.sequence()) {
                    report(Rule.ORDER, client + " was given " + message + " behind number " + before);
                    last.put(message.stream(), before);
                }
            }
        }
    }

    /**
     * Whether what is first seen is the first sending, or owed to it. One who subscribes between two sendings of a
     * message may get the second, behind later ones; so may one who unsubscribed before the first was acknowledged, and
     * has subscribed again. One whose first sending may have been refused comes behind those that were not.
     */
    private boolean isFirstSendingOwed(MessageId message, List<Window> windows) {
        Published published = publishes.messages().get(message);
        if (published != null && published.perhapsRefused && published.sends > 1) {
            return false;
        }
        return published == null
                || published.sends == 1
                || windows.stream()
                        .anyMatch(window -> window.certainFrom < published.first
                                && published.first < window.certainUntil
                                && (window.isStanding() || published.acknowledged < window.certainUntil)
                                && window.matches(message.topic()));
    }

    private void nothingLost(Map<String, Set<MessageId>> seen) {
        Map<String, List<Published>> byTopic = new HashMap<>();
        publishes.messages().forEach((id, published) -> {
            if (published.qos > 0 && !published.refused && published.acknowledged != Publishes.NEVER) {
                byTopic.computeIfAbsent(id.topic(), topic -> new ArrayList<>()).add(published);
            }
        });
        subscriptions.byClient().forEach((client, windows) -> {
            for (Window window : windows) {
                if (window.discarded || window.certainFrom == Publishes.NEVER || window.qos == 0) {
                    continue;
                }
                Set<MessageId> given =
                        window.group == null ? seen.getOrDefault(client, Set.of()) : givenToGroup(window.group, seen);
                byTopic.forEach((topic, list) -> {
                    if (window.matches(topic)) {
                        list.forEach(published -> owed(window, published, given));
                    }
                });
            }
        });
    }

    private void owed(Window window, Published published, Set<MessageId> given) {
        boolean owed = published.first > window.certainFrom && published.acknowledged < window.certainUntil;
        if (owed && published.id != null && !given.contains(published.id)) {
            report(
                    Rule.LOST,
                    window.client + " was never given " + (published.will ? "the will " : "") + published.id
                            + ", owed for " + (window.group == null ? window.filter : window.group));
        }
    }

    private Set<MessageId> givenToGroup(String group, Map<String, Set<MessageId>> seen) {
        Set<MessageId> given = new HashSet<>();
        subscriptions.byClient().forEach((client, windows) -> {
            if (windows.stream().anyMatch(window -> group.equals(window.group))) {
                given.addAll(seen.getOrDefault(client, Set.of()));
            }
        });
        return given;
    }

    /** A QoS 2 message goes to one member of a group, once. */
    private void sharedOnce() {
        Map<String, List<Window>> members = new HashMap<>();
        subscriptions
                .byClient()
                .forEach((client, windows) -> windows.forEach(window -> {
                    if (window.group != null) {
                        members.computeIfAbsent(window.group, group -> new ArrayList<>())
                                .add(window);
                    }
                }));
        members.forEach((group, windows) -> {
            Map<MessageId, Set<String>> takers = new HashMap<>();
            for (Window window : windows) {
                for (Delivery delivery : deliveries.getOrDefault(window.client, List.of())) {
                    if (delivery.qos() == 2 && window.matches(delivery.message().topic())) {
                        takers.computeIfAbsent(delivery.message(), message -> new HashSet<>())
                                .add(window.client);
                    }
                }
            }
            takers.forEach((message, who) -> {
                if (who.size() > 1) {
                    report(Rule.QOS2_TWICE, message + " was given to " + who + " of " + group);
                }
            });
        });
    }

    private void report(Rule rule, String text) {
        violations.add(new Violation(rule, text));
    }
}
