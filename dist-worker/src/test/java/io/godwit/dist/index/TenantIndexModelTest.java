package io.godwit.dist.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The index gives exactly the results of testing every subscription in turn. */
class TenantIndexModelTest {

    /** One change; {@code options} null to remove. */
    record Step(TopicFilter filter, Receiver receiver, SubscriptionOptions options) {}

    private record Key(TopicFilter filter, Receiver receiver) {}

    private record Copy(Qos qos, boolean retainAsPublished, List<Integer> sortedIds) {}

    @Property(tries = 400)
    void matchesLikeALinearScan(
            @ForAll("steps") List<Step> steps,
            @ForAll("topics") List<String> topics,
            @ForAll("clients") ClientId publisher) {
        TenantIndex index = new TenantIndex(TenantId.DEFAULT, new SharedStrategies(SharedPick.RANDOM));
        Map<Key, SubscriptionOptions> model = new LinkedHashMap<>();
        for (Step step : steps) {
            Key key = new Key(step.filter, step.receiver);
            long version = index.version();
            String before = describe(index, topics, publisher);
            if (step.options == null) {
                assertThat(index.remove(step.filter, step.receiver)).isEqualTo(model.remove(key) != null);
            } else {
                assertThat(index.add(step.filter, step.receiver, step.options))
                        .isEqualTo(model.put(key, step.options) == null);
            }
            for (String topic : topics) {
                assertMatches(index.match(topic, publisher), model, topic, publisher);
            }
            assertThat(index.counts().subscriptions()).isEqualTo(model.size());
            if (!describe(index, topics, publisher).equals(before)) {
                assertThat(index.version()).isGreaterThan(version);
            }
        }
        for (String topic : topics) {
            for (Receiver receiver : receivers()) {
                assertThat(index.filtersOf(receiver, topic))
                        .containsExactlyInAnyOrderElementsOf(model.keySet().stream()
                                .filter(key -> key.receiver.equals(receiver) && key.filter.matches(topic))
                                .map(Key::filter)
                                .toList());
            }
        }
        Set<Key> routes = new HashSet<>();
        index.forEachRoute((filter, receiver) ->
                assertThat(routes.add(new Key(filter, receiver))).isTrue());
        assertThat(routes)
                .containsExactlyInAnyOrderElementsOf(model.keySet().stream()
                        .filter(key -> key.receiver instanceof InboxReceiver)
                        .toList());

        for (Key key : List.copyOf(model.keySet())) {
            assertThat(index.remove(key.filter, key.receiver)).isTrue();
        }
        assertThat(index.isEmpty()).isTrue();
    }

    private static void assertMatches(
            Matches matches, Map<Key, SubscriptionOptions> model, String topic, ClientId publisher) {
        Map<Receiver, Copy> expected = new HashMap<>();
        Map<String, Set<Receiver>> expectedGroups = new HashMap<>();
        model.forEach((key, options) -> {
            if (!key.filter.matches(topic)) {
                return;
            }
            if (key.filter.isShared()) {
                expectedGroups
                        .computeIfAbsent(key.filter.text(), text -> new HashSet<>())
                        .add(key.receiver);
            } else if (!options.noLocal() || !key.receiver.clientId().equals(publisher)) {
                List<Integer> ids = options.subscriptionId() == 0 ? List.of() : List.of(options.subscriptionId());
                expected.merge(
                        key.receiver,
                        new Copy(options.qos(), options.retainAsPublished(), ids),
                        TenantIndexModelTest::join);
            }
        });
        Map<Receiver, Copy> actual = new HashMap<>();
        for (Match match : matches.live()) {
            assertThat(match.receiver()).isInstanceOf(LiveReceiver.class);
            assertThat(actual.put(match.receiver(), copy(match))).isNull();
        }
        for (Match match : matches.inbox()) {
            assertThat(match.receiver()).isInstanceOf(InboxReceiver.class);
            assertThat(actual.put(match.receiver(), copy(match))).isNull();
        }
        assertThat(actual).isEqualTo(expected);

        List<Set<Receiver>> actualGroups = new ArrayList<>();
        for (SharedGroup group : matches.groups()) {
            Set<Receiver> members = new HashSet<>();
            group.forEach(member -> members.add(member.receiver()));
            actualGroups.add(members);
            SharedMember picked = group.pick(publisher, topic, null);
            assertThat(picked).isNotNull();
            assertThat(members).contains(picked.match().receiver());
            assertThat(picked.match().sharedBy()).isEqualTo(group.filter());
        }
        assertThat(actualGroups).containsExactlyInAnyOrderElementsOf(expectedGroups.values());
    }

    /** The cached part of a result: every publish reads the members of groups again. */
    private static String describe(TenantIndex index, List<String> topics, ClientId publisher) {
        StringBuilder text = new StringBuilder();
        for (String topic : topics) {
            Matches matches = index.match(topic, publisher);
            Set<String> lines = new TreeSet<>();
            matches.live().forEach(match -> lines.add(match.receiver() + " " + copy(match)));
            matches.inbox().forEach(match -> lines.add(match.receiver() + " " + copy(match)));
            matches.groups().forEach(group -> lines.add(group.key() + " " + System.identityHashCode(group)));
            text.append(lines);
        }
        return text.toString();
    }

    private static Copy copy(Match match) {
        return new Copy(
                match.qos(),
                match.retainAsPublished(),
                Arrays.stream(match.subscriptionIds()).sorted().boxed().toList());
    }

    private static Copy join(Copy a, Copy b) {
        List<Integer> ids = new ArrayList<>(a.sortedIds);
        ids.addAll(b.sortedIds);
        ids.sort(null);
        return new Copy(a.qos.value() > b.qos.value() ? a.qos : b.qos, a.retainAsPublished || b.retainAsPublished, ids);
    }

    private static List<Receiver> receivers() {
        List<Receiver> receivers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            receivers.add(new TestReceiver("c" + i));
            receivers.add(new InboxReceiver(TenantId.DEFAULT, new ClientId("c" + i), i % 3));
        }
        return receivers;
    }

    @Provide
    static Arbitrary<List<Step>> steps() {
        Arbitrary<TopicFilter> filters = Combinators.combine(
                        Arbitraries.of("a", "b", "", "$s", "+")
                                .list()
                                .ofMinSize(1)
                                .ofMaxSize(4),
                        Arbitraries.of(true, false, false),
                        Arbitraries.of("", "", "", "$share/g/", "$share/h/", "$oshare/g/", "$queue/", "$exclusive/"))
                .as((levels, multi, share) -> share + String.join("/", levels) + (multi ? "/#" : ""))
                .injectDuplicates(0.5)
                .map(TopicFilter::parse)
                .filter(java.util.Optional::isPresent)
                .map(java.util.Optional::get);
        Arbitrary<TopicFilter> few = Arbitraries.of("#", "a/b", "+/b", "a/#", "$share/g/a/b", "$s/#")
                .map(text -> TopicFilter.parse(text).orElseThrow());
        Arbitrary<SubscriptionOptions> options = Combinators.combine(
                        Arbitraries.of(Qos.class),
                        Arbitraries.of(true, false, false, false),
                        Arbitraries.of(true, false),
                        Arbitraries.of(0, 0, 1, 2, 3))
                .as(SubscriptionOptions::new);
        return Combinators.combine(
                        Arbitraries.frequencyOf(Tuple.of(1, filters), Tuple.of(1, few)),
                        Arbitraries.of(receivers()),
                        options.injectNull(0.3))
                .as(Step::new)
                .list()
                .ofMinSize(5)
                .ofMaxSize(60);
    }

    @Provide
    static Arbitrary<List<String>> topics() {
        Arbitrary<String> random = Arbitraries.of("a", "b", "", "$s", "z")
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(levels -> String.join("/", levels))
                .filter(topic -> !topic.isEmpty());
        return Arbitraries.frequencyOf(Tuple.of(1, random), Tuple.of(1, Arbitraries.of("a", "a/b", "$s/a")))
                .list()
                .ofSize(4);
    }

    @Provide
    static Arbitrary<ClientId> clients() {
        return Arbitraries.of("c0", "c1", "x").map(ClientId::new);
    }
}
