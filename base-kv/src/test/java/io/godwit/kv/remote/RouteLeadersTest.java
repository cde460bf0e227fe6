package io.godwit.kv.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RouteLeadersTest {
    private final RouteTable table = new RouteTable();
    private final AtomicInteger asked = new AtomicInteger();
    private final RouteLeaders leaders = new RouteLeaders("a", table, asked::incrementAndGet);

    @Test
    void namesTheNodeThatHasToldThatItLeadsAndTellsOfChanges() {
        byte[] key = "k".getBytes(UTF_8);
        AtomicInteger changes = new AtomicInteger();
        leaders.onChange(changes::incrementAndGet);
        assertThat(leaders.leaderOf(key)).isNull();

        table.told("b", List.of(RangeRoutesTest.led(1, 5, "", null, 3)));
        assertThat(leaders.leaderOf(key)).isEqualTo("b");
        table.told("a", List.of(RangeRoutesTest.led(1, 5, "", null, 4)));
        assertThat(leaders.leaderOf(key)).isEqualTo(leaders.here());
        assertThat(changes).hasValue(2);

        table.gone("a");
        assertThat(leaders.leaderOf(key))
                .as("the older leadership is valid again")
                .isEqualTo("b");
        table.gone("b");
        assertThat(leaders.leaderOf(key)).isNull();
        leaders.refresh();
        assertThat(asked).hasValue(1);
    }
}
