package io.godwit.dist.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.index.share.GroupMember;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.CollidingFilters;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A hash map with keys that clients choose stays fast when all keys have one hash code. */
class CollidingKeysTest {
    private static final int KEYS = 1 << 14;
    /**
     * Measured on 2 cores, 2026-11-23: 16 to 39 times with comparable keys. With keys that are not comparable, 17 to 33
     * s, where distinct keys take a few milliseconds.
     */
    private static final int MOST_TIMES_SLOWER = 60;

    static List<Function<String, Object>> keys() {
        return List.of(
                text -> new TopicFilter(null, text),
                ClientId::new,
                text -> new InboxReceiver(TenantId.DEFAULT, new ClientId(text), 1),
                text -> new GroupMember(
                        new TopicFilter("g", text), new InboxReceiver(TenantId.DEFAULT, new ClientId(text), 1)));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void areFoundInLogarithmicTime(Function<String, Object> key) {
        List<Object> distinct = IntStream.range(0, KEYS)
                .mapToObj(number -> key.apply("sensor/" + number))
                .toList();
        List<Object> colliding = CollidingFilters.texts(KEYS).stream().map(key).toList();
        assertThat(colliding.stream().map(Object::hashCode).distinct()).hasSize(1);

        long usual = Math.max(TimeUnit.MILLISECONDS.toNanos(4), leastNanosToFillAndRead(distinct));
        assertThat(leastNanosToFillAndRead(colliding)).isLessThan(MOST_TIMES_SLOWER * usual);
    }

    /**
     * The least of several runs, because some have other work beside them. With linear time per key all runs are slow.
     */
    private static long leastNanosToFillAndRead(List<Object> keys) {
        return LongStream.generate(() -> nanosToFillAndRead(keys))
                .limit(5)
                .min()
                .orElseThrow();
    }

    private static long nanosToFillAndRead(List<Object> keys) {
        long begin = System.nanoTime();
        Map<Object, Integer> map = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            map.put(keys.get(i), i);
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(map.get(keys.get(i)) == i).isTrue();
        }
        return System.nanoTime() - begin;
    }
}
