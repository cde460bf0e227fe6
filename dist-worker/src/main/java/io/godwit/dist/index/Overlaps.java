package io.godwit.dist.index;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Merges the subscribers of several filters that match one topic into one copy per session [MQTT5-3.3.4-2]. */
final class Overlaps {
    private Overlaps() {}

    /** The subscribers of one filter, without no-local ones that are the publisher [MQTT5-3.8.3-3]. */
    static Matches forPublisher(Subscribers.Snapshot snapshot, ClientId publisher) {
        Matches plain = plainForPublisher(snapshot, publisher);
        if (snapshot.exclusive().isEmpty()) {
            return plain;
        }
        List<Match> live = new ArrayList<>(1);
        List<Match> inbox = new ArrayList<>(1);
        for (Subscriber subscriber : snapshot.exclusive()) {
            Match match = subscriber.match();
            if (!subscriber.noLocal() || !match.receiver().clientId().equals(publisher)) {
                (match.receiver() instanceof LiveReceiver ? live : inbox).add(match);
            }
        }
        return merge(List.of(plain, new Matches(live, inbox, List.of())));
    }

    private static Matches plainForPublisher(Subscribers.Snapshot snapshot, ClientId publisher) {
        Matches open = snapshot.open();
        if (snapshot.noLocal().isEmpty()) {
            return open;
        }
        List<Match> live = new ArrayList<>(open.live());
        List<Match> inbox = new ArrayList<>(open.inbox());
        for (Match match : snapshot.noLocal()) {
            if (!match.receiver().clientId().equals(publisher)) {
                (match.receiver() instanceof LiveReceiver ? live : inbox).add(match);
            }
        }
        return new Matches(List.copyOf(live), List.copyOf(inbox), open.groups(), open.nodes());
    }

    /** The union of {@code parts}, one for each filter. Shared groups stay separate copies (MQTT 5.0, 4.8.2). */
    static Matches merge(List<Matches> parts) {
        List<List<Match>> live = new ArrayList<>(parts.size());
        List<List<Match>> inbox = new ArrayList<>(parts.size());
        List<SharedGroup> groups = new ArrayList<>();
        NodeSet nodes = NodeSet.NONE;
        for (Matches part : parts) {
            live.add(part.live());
            inbox.add(part.inbox());
            groups.addAll(part.groups());
            nodes = nodes.union(part.nodes());
        }
        return new Matches(mergeKind(live), mergeKind(inbox), List.copyOf(groups), nodes);
    }

    /**
     * Hashes all lists except the largest, whose elements are looked up in the others: cheap for one large audience
     * with a few observers.
     */
    private static List<Match> mergeKind(List<List<Match>> lists) {
        int largest = 0;
        int nonEmpty = 0;
        for (int i = 0; i < lists.size(); i++) {
            nonEmpty += lists.get(i).isEmpty() ? 0 : 1;
            largest = lists.get(i).size() > lists.get(largest).size() ? i : largest;
        }
        if (nonEmpty <= 1) {
            return lists.get(largest);
        }
        Map<Receiver, Match> others = new LinkedHashMap<>();
        for (int i = 0; i < lists.size(); i++) {
            if (i != largest) {
                lists.get(i).forEach(match -> others.merge(match.receiver(), match, Overlaps::join));
            }
        }
        List<Match> merged = new ArrayList<>(lists.get(largest).size() + others.size());
        for (Match match : lists.get(largest)) {
            Match other = others.remove(match.receiver());
            merged.add(other == null ? match : join(match, other));
        }
        merged.addAll(others.values());
        return List.copyOf(merged);
    }

    private static Match join(Match a, Match b) {
        Qos highest = a.qos().value() >= b.qos().value() ? a.qos() : b.qos();
        return new Match(
                a.receiver(),
                highest,
                a.retainAsPublished() || b.retainAsPublished(),
                concat(a.subscriptionIds(), b.subscriptionIds()));
    }

    private static int[] concat(int[] a, int[] b) {
        if (a.length == 0) {
            return b;
        }
        if (b.length == 0) {
            return a;
        }
        int[] both = new int[a.length + b.length];
        System.arraycopy(a, 0, both, 0, a.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
