package io.godwit.dist.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RouteKeysTest {
    private static final SubscriptionOptions OPTIONS =
            new SubscriptionOptions(Qos.EXACTLY_ONCE, true, true, 268_435_455);

    @Property(tries = 500)
    void roundTrip(@ForAll("routes") Route route) {
        byte[] key = RouteKeys.key(route.filter(), route.receiver());
        assertThat(RouteKeys.route(key, RouteKeys.value(route.options()))).isEqualTo(route);
        byte[] numbered = RouteKeys.value(route.options(), new RouteNumber(Long.MAX_VALUE, 1L << 40));
        assertThat(RouteKeys.route(key, numbered)).isEqualTo(route);
        assertThat(RouteKeys.number(numbered)).isEqualTo(new RouteNumber(Long.MAX_VALUE, 1L << 40));

        byte[] prefix = RouteKeys.tenantPrefix(route.receiver().tenant());
        assertThat(Arrays.copyOf(key, prefix.length)).isEqualTo(prefix);
        assertThat(Arrays.compareUnsigned(
                        key, RouteKeys.tenantEnd(route.receiver().tenant())))
                .isNegative();
    }

    @Property(tries = 500)
    void differentRoutesHaveDifferentKeys(@ForAll("routes") Route a, @ForAll("routes") Route b) {
        boolean same = a.filter().equals(b.filter()) && a.receiver().equals(b.receiver());
        assertThat(Arrays.equals(RouteKeys.key(a.filter(), a.receiver()), RouteKeys.key(b.filter(), b.receiver())))
                .isEqualTo(same);
    }

    @Test
    void filtersSortByLevelAndNotByCharacter() {
        List<String> ordered =
                List.of("a", "a/", "a/b", "a/b/c", "a\u0001", "a\u0002", "a\u0003", "a ", "a!/b", "ab", "b");
        for (int i = 1; i < ordered.size(); i++) {
            assertThat(Arrays.compareUnsigned(key(ordered.get(i - 1)), key(ordered.get(i))))
                    .as("%s before %s", ordered.get(i - 1), ordered.get(i))
                    .isNegative();
        }
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] key = key("a");
        byte[] value = RouteKeys.value(OPTIONS);
        byte[] otherKey = key.clone();
        otherKey[0] = 2;
        byte[] otherValue = value.clone();
        otherValue[0] = 3;
        assertThatThrownBy(() -> RouteKeys.route(otherKey, value)).hasMessageContaining("route key version must be 1");
        assertThatThrownBy(() -> RouteKeys.route(key, otherValue))
                .hasMessageContaining("route value version must be 1 or 2, was 3");
    }

    /** Stored values from before routes had numbers. */
    @Test
    void aValueWithoutANumberIsReadAndWrittenAsBefore() {
        byte[] stored = {1, 0b1110, 0x0f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
        assertThat(RouteKeys.route(key("a"), stored).options()).isEqualTo(OPTIONS);
        assertThat(RouteKeys.number(stored)).isEqualTo(RouteNumber.NONE);
        assertThat(RouteKeys.value(OPTIONS)).isEqualTo(stored);
        assertThat(RouteKeys.value(OPTIONS, RouteNumber.of(0, 5))).isEqualTo(stored);
    }

    @Test
    void noPartOfAValueIsAValue() {
        byte[] value = RouteKeys.value(OPTIONS, new RouteNumber(3, 4));
        for (int length = 0; length <= value.length + 1; length++) {
            byte[] other = Arrays.copyOf(value, length);
            if (length != value.length) {
                assertThatThrownBy(() -> RouteKeys.route(key("a"), other)).hasMessageContaining("route value");
            }
        }
    }

    /** Logged mutations from before routes had numbers. */
    @Test
    void mutationsWithoutNumbersAreReadAndWrittenAsBefore() {
        byte[] stored = {1, 0, 0, 0, 2, 0, 0, 0, 0, 2, 7, 8, 1, 0, 0, 0, 1, 9, 6, 1, 1, 0, 0, 0, 5};
        List<RouteMutation.Change> changes = RouteMutation.decode(stored);
        assertThat(changes).hasSize(2);
        assertThat(changes.get(0).value()).isNull();
        assertThat(changes).allMatch(change -> change.number().isNone());
        assertThat(RouteMutation.encode(changes)).isEqualTo(stored);
    }

    @Test
    void mutationsHaveTheNumbersOfTheirChanges() {
        byte[] key = key("a");
        byte[] mutation = RouteMutation.encode(List.of(
                RouteMutation.Change.remove(key, new RouteNumber(3, 4)),
                RouteMutation.Change.put(key, RouteKeys.value(OPTIONS, new RouteNumber(5, 6)))));
        List<RouteMutation.Change> changes = RouteMutation.decode(mutation);
        assertThat(changes)
                .extracting(RouteMutation.Change::number)
                .containsExactly(new RouteNumber(3, 4), new RouteNumber(5, 6));
        assertThat(RouteMutation.encode(changes)).isEqualTo(mutation);
        for (int length = 0; length < mutation.length; length++) {
            byte[] part = Arrays.copyOf(mutation, length);
            assertThatThrownBy(() -> RouteMutation.decode(part)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void everyTruncationIsRefusedOrAnotherRoute() {
        byte[] key = key("a/b");
        Route whole = RouteKeys.route(key, RouteKeys.value(OPTIONS));
        for (int length = 0; length < key.length; length++) {
            byte[] cut = Arrays.copyOf(key, length);
            try {
                assertThat(RouteKeys.route(cut, RouteKeys.value(OPTIONS))).isNotEqualTo(whole);
            } catch (IllegalArgumentException refused) {
                assertThat(refused).isNotNull();
            }
        }
    }

    private static byte[] key(String filter) {
        return RouteKeys.key(
                new TopicFilter(null, filter), new InboxReceiver(TenantId.DEFAULT, new ClientId("client"), 7));
    }

    @Provide
    static Arbitrary<Route> routes() {
        Arbitrary<String> filters = Arbitraries.of("a", "", "+", "\u0001", "\u0002", "\u20ac", "ab")
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(levels -> String.join("/", levels))
                .filter(filter -> !filter.isEmpty());
        Arbitrary<TopicFilter> shared = Combinators.combine(
                        Arbitraries.of(
                                "", "", "$share/g/", "$share/h/", "$share/gh/", "$oshare/g/", "$queue/", "$exclusive/"),
                        filters)
                .as((prefix, filter) -> TopicFilter.parse(prefix + "x")
                        .map(x -> new TopicFilter(x.shareGroup(), filter, x.sharing()))
                        .orElseThrow());
        Arbitrary<InboxReceiver> receivers = Combinators.combine(
                        Arbitraries.of("t", "t1", "t-1").map(TenantId::new),
                        Arbitraries.of("c", "cc", "g", "\u00e9", "\u0001").map(ClientId::new),
                        Arbitraries.longs())
                .as(InboxReceiver::new);
        Arbitrary<SubscriptionOptions> options = Combinators.combine(
                        Arbitraries.of(Qos.class),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false),
                        Arbitraries.integers().between(0, 268_435_455))
                .as(SubscriptionOptions::new);
        return Combinators.combine(shared, receivers, options).as(Route::new);
    }
}
