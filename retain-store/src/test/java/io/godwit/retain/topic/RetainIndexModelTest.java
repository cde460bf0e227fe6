package io.godwit.retain.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** A walk over the index finds the same topics as testing every topic, in key order. */
class RetainIndexModelTest {
    private static final TenantId TENANT = new TenantId("t");
    private static final TenantId NEIGHBOUR = new TenantId("t-2");
    private static final long NOW = 1000;

    /** One change; {@code expiresAt} null to clear. */
    record Step(TenantId tenant, String topic, @Nullable Long expiresAt) {}

    @Property(tries = 1000)
    void walksLikeALinearScan(
            @ForAll("steps") List<Step> steps,
            @ForAll("filters") List<TopicFilter> filters,
            @ForAll @IntRange(min = 1, max = 5) int maxSteps) {
        RetainCounters counters = new RetainCounters(new SimpleMeterRegistry());
        RetainIndex index = new RetainIndex(counters);
        Map<String, byte[]> keys = new HashMap<>();
        Map<String, Long> model = new HashMap<>();
        for (Step step : steps) {
            byte[] key = RetainKeys.key(step.tenant, step.topic);
            String name = step.tenant.value() + " " + step.topic;
            keys.put(name, key);
            if (step.expiresAt == null) {
                index.remove(key);
                model.remove(name);
            } else {
                index.put(key, step.expiresAt, bytes(step.expiresAt));
                model.put(name, step.expiresAt);
            }
        }
        assertThat(counters.retained.sum()).isEqualTo(model.size());
        assertThat(counters.payloadBytes.sum())
                .isEqualTo(model.values().stream()
                        .mapToInt(RetainIndexModelTest::bytes)
                        .sum());
        for (TopicFilter filter : filters) {
            List<byte[]> expected = model.entrySet().stream()
                    .filter(entry -> entry.getValue() > NOW)
                    .map(Map.Entry::getKey)
                    .filter(name -> name.startsWith("t ") && filter.matches(name.substring(2)))
                    .map(keys::get)
                    .sorted(Arrays::compareUnsigned)
                    .toList();
            assertThat(walk(index, filter, maxSteps)).containsExactlyElementsOf(expected);
        }
        assertThat(index.expired(NOW, Integer.MAX_VALUE))
                .containsExactlyInAnyOrderElementsOf(model.entrySet().stream()
                        .filter(entry -> entry.getValue() <= NOW)
                        .map(entry -> keys.get(entry.getKey()))
                        .toList());
    }

    private static int bytes(long expiresAt) {
        return (int) (expiresAt % 97);
    }

    private static List<byte[]> walk(RetainIndex index, TopicFilter filter, int maxSteps) {
        KeyFilter compiled = new KeyFilter(TENANT, filter);
        List<byte[]> found = new ArrayList<>();
        byte[] from = compiled.start();
        while (from != null) {
            RetainIndex.Walk walk = index.walk(compiled, from, NOW, maxSteps);
            for (byte[] key = walk.next(); key != null; key = walk.next()) {
                assertThat(Arrays.compareUnsigned(key, compiled.start())).isNotNegative();
                assertThat(Arrays.compareUnsigned(key, compiled.end())).isNegative();
                found.add(key);
            }
            byte[] next = walk.position();
            assertThat(next == null || Arrays.compareUnsigned(next, from) > 0)
                    .as("each walk advances")
                    .isTrue();
            from = next;
        }
        return found;
    }

    @Provide
    static Arbitrary<List<Step>> steps() {
        Arbitrary<String> topics = Arbitraries.of(
                        "a", "b", "ab", "", "$s", "\u0001", "a\u0001", "\u0002", "\u20ac", "c")
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(levels -> String.join("/", levels))
                .filter(topic -> !topic.isEmpty());
        return Combinators.combine(
                        Arbitraries.of(TENANT, TENANT, TENANT, NEIGHBOUR),
                        topics,
                        Arbitraries.of(RetainKeys.NEVER, RetainKeys.NEVER, NOW, NOW - 1, NOW + 1)
                                .injectNull(0.2))
                .as(Step::new)
                .list()
                .ofMaxSize(80);
    }

    @Provide
    static Arbitrary<List<TopicFilter>> filters() {
        return Combinators.combine(
                        Arbitraries.of("a", "b", "ab", "", "$s", "\u0001", "+", "+", "c")
                                .list()
                                .ofMinSize(1)
                                .ofMaxSize(4),
                        Arbitraries.of("", "/#"))
                .as((levels, tail) -> TopicFilter.parse(String.join("/", levels) + tail))
                .filter(Optional::isPresent)
                .map(Optional::get)
                .list()
                .ofSize(8)
                .map(filters -> {
                    List<TopicFilter> withAll = new ArrayList<>(filters);
                    withAll.add(new TopicFilter(null, "#"));
                    withAll.add(new TopicFilter(null, "+/#"));
                    return withAll;
                });
    }
}
